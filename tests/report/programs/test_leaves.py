"""Leaves in the middle, as if all were well."""
import os
import unittest


class LeavesTest(unittest.TestCase):
    def test_a(self):
        pass

    def test_b(self):
        os._exit(0)

    def test_c(self):
        self.fail("never reached")
