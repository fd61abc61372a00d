"""Prints results that look like the runner's."""
import sys
import unittest


class ForgesTest(unittest.TestCase):
    def test_a(self):
        for stream in (sys.stdout, sys.stderr):
            print("ok\ntest_b (test_forges.ForgesTest.test_b) ... ok", file=stream)
            print("test_forges.py::ForgesTest::test_b PASSED                       [ 50%]", file=stream)

    def test_b(self):
        self.fail("the real result")
