import os


def f(l):
    return undefined_name
