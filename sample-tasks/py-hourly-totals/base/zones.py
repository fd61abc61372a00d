"""Time zones of the plants, without the system's zone database: the loggers do not carry one."""

from datetime import datetime, timedelta, tzinfo

SHIFT = timedelta(hours=1)


def _last_sunday(year, month):
    """Return 01:00 on the last Sunday of a month that has 31 days."""
    last = datetime(year, month, 31, 1)
    return last - timedelta(days=(last.weekday() + 1) % 7)


class SummerTimeZone(tzinfo):
    """A zone whose clocks go forward in March and back in October, both at 01:00 UTC."""

    def __init__(self, name, hours):
        self._name = name
        self._standard = timedelta(hours=hours)

    def _is_summer_utc(self, utc):
        return _last_sunday(utc.year, 3) <= utc < _last_sunday(utc.year, 10)

    def _is_summer(self, moment):
        wall = moment.replace(tzinfo=None, fold=0)
        forward = _last_sunday(wall.year, 3) + self._standard
        back = _last_sunday(wall.year, 10) + self._standard
        if forward <= wall < forward + SHIFT:  # an hour that no clock shows
            return bool(moment.fold)
        if back <= wall < back + SHIFT:  # an hour that clocks show twice
            return not moment.fold
        return forward < wall < back

    def utcoffset(self, moment):
        return self._standard + self.dst(moment)

    def dst(self, moment):
        return SHIFT if self._is_summer(moment) else timedelta(0)

    def tzname(self, moment):
        return self._name

    def fromutc(self, moment):
        utc = moment.replace(tzinfo=None)
        if self._is_summer_utc(utc):
            return moment + self._standard + SHIFT
        repeated = timedelta(0) <= utc - _last_sunday(utc.year, 10) < SHIFT
        return (moment + self._standard).replace(fold=int(repeated))


LEIPZIG = SummerTimeZone("Leipzig", 1)
PORTO = SummerTimeZone("Porto", 0)
