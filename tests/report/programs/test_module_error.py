"""A module whose set-up raises."""
import unittest


def setUpModule():
    raise RuntimeError("module is not ready")


class ModuleTest(unittest.TestCase):
    def test_never_runs(self):
        pass
