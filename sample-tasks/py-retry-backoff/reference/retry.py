"""Calls a flaky service again, waiting longer before each new try."""

import math


class TransientError(Exception):
    """The service could not answer now but may later.

    `retry_after` is the number of seconds the service asked for, or None when it did not say.
    """

    def __init__(self, message, retry_after=None):
        super().__init__(message)
        self.retry_after = retry_after


class GaveUp(Exception):
    """All tries failed. The last TransientError is the cause."""


class Backoff:
    """How long to wait before which try, in seconds.

    base    the wait before the first retry
    factor  by how much each further wait is longer than the one before
    cap     no wait computed here is longer; a wait that the service asked for may be
    """

    def __init__(self, base=0.5, factor=2.0, cap=30.0):
        if base <= 0 or factor < 1 or cap < base:
            raise ValueError("need base > 0, factor >= 1 and cap >= base")
        self.base = base
        self.factor = factor
        self.cap = cap

    def delay(self, retry, retry_after=None):
        """Return the wait before retry number `retry`; the first retry is number 0.

        The waits are base, base * factor, base * factor * factor and so on, up to the cap. When the
        service named a time of its own, the longer of both is taken.
        """
        wait = min(self.base * math.pow(self.factor, retry), self.cap)
        if retry_after is not None:
            wait = max(wait, retry_after)
        return wait


def call_with_retry(call, sleep, backoff=None, tries=5):
    """Return call(), trying up to `tries` times as long as it raises TransientError.

    `sleep` gets the seconds to wait between two tries. Other exceptions pass through at once.
    """
    backoff = backoff or Backoff()
    for retry in range(tries):
        try:
            return call()
        except TransientError as error:
            if retry == tries - 1:
                raise GaveUp(f"no answer after {tries} tries") from error
            sleep(backoff.delay(retry, error.retry_after))
