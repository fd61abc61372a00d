"""Every form of result that unittest and pytest can print."""
import sys
import unittest


def halve(number):
    return number // 2


class FormsTest(unittest.TestCase):
    def test_passes(self):
        self.assertEqual(halve(4), 2)

    def test_passes_with_words(self):
        """Half of six is three."""
        self.assertEqual(halve(6), 3)

    def test_fails(self):
        self.assertEqual(halve(5), 2.5)

    def test_fails_with_words(self):
        """Half of one is a half."""
        self.assertEqual(halve(1), 0.5)

    def test_raises(self):
        halve(None)

    @unittest.skip("not today")
    def test_skipped(self):
        self.fail()

    def test_skips_itself(self):
        self.skipTest("no luck")

    @unittest.expectedFailure
    def test_fails_as_expected(self):
        self.assertEqual(halve(3), 1.5)

    @unittest.expectedFailure
    def test_passes_unexpectedly(self):
        self.assertEqual(halve(2), 1)

    def test_parts(self):
        for number in (2, 3, 4, 5):
            with self.subTest("half", number=number):
                self.assertEqual(halve(number) * 2, number)

    def test_prints(self):
        print("a line on stdout")
        print("a line on stderr", file=sys.stderr)
        print("half a line", end="", file=sys.stderr)


class ClassErrorTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        raise OSError("no room for the class")

    def test_never_runs(self):
        pass


if __name__ == "__main__":
    unittest.main()
