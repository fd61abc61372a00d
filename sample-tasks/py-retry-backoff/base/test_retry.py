import unittest

from retry import Backoff, GaveUp, TransientError, call_with_retry


class Service:
    """Raises the given errors one after the other, then answers."""

    def __init__(self, *errors):
        self.errors = list(errors)
        self.calls = 0

    def __call__(self):
        self.calls += 1
        if self.errors:
            raise self.errors.pop(0)
        return "answer"


def busy(seconds=None):
    return TransientError("busy", retry_after=seconds)


class DelayTest(unittest.TestCase):
    def test_first_retry_waits_for_base(self):
        self.assertEqual(Backoff(base=0.5).delay(0), 0.5)

    def test_waits_grow_by_the_factor(self):
        backoff = Backoff(base=1, factor=2, cap=100)
        self.assertEqual([backoff.delay(n) for n in range(6)], [1, 2, 4, 8, 16, 32])

    def test_factor_one_keeps_the_wait(self):
        backoff = Backoff(base=3, factor=1, cap=60)
        self.assertEqual([backoff.delay(n) for n in range(4)], [3, 3, 3, 3])

    def test_third_retry_with_default_factor(self):
        self.assertEqual(Backoff(base=1).delay(2), 4)

    def test_cap_bounds_the_wait(self):
        self.assertEqual(Backoff(base=1, factor=2, cap=30).delay(12), 30)

    def test_longer_wish_of_the_service_wins(self):
        self.assertEqual(Backoff(cap=30).delay(1, retry_after=45), 45)

    def test_nonsense_is_refused(self):
        for settings in ({"base": 0}, {"factor": 0.5}, {"base": 5, "cap": 1}):
            with self.subTest(settings), self.assertRaises(ValueError):
                Backoff(**settings)


class CallTest(unittest.TestCase):
    def setUp(self):
        self.waits = []

    def test_no_wait_when_the_first_try_works(self):
        self.assertEqual(call_with_retry(Service(), self.waits.append), "answer")
        self.assertEqual(self.waits, [])

    def test_waits_between_tries(self):
        service = Service(busy(), busy(), busy(), busy())
        call_with_retry(service, self.waits.append, Backoff(base=0.5))
        self.assertEqual(self.waits, [0.5, 1, 2, 4])

    def test_gives_up_without_a_last_wait(self):
        service = Service(*[busy(60) for _ in range(9)])
        with self.assertRaises(GaveUp):
            call_with_retry(service, self.waits.append, tries=3)
        self.assertEqual(service.calls, 3)
        self.assertEqual(self.waits, [60, 60])

    def test_other_errors_pass_at_once(self):
        service = Service(KeyError("user"))
        with self.assertRaises(KeyError):
            call_with_retry(service, self.waits.append)
        self.assertEqual(service.calls, 1)


if __name__ == "__main__":
    unittest.main()
