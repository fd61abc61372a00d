import unittest
from datetime import date, datetime, timedelta, timezone

from hourly import hour_starts, hourly_totals, report
from readings import Reading, parse
from zones import LEIPZIG, PORTO

ORDINARY = date(2024, 6, 12)
FORWARD = date(2024, 3, 31)
BACK = date(2024, 10, 27)


def labels(day, zone=LEIPZIG):
    return [f"{start:%H:%M %z}" for start in hour_starts(day, zone)]


def one_per_hour(first, count):
    """Return `count` readings of 1 kWh, an hour apart."""
    return [Reading(first + timedelta(hours=n), 1.0) for n in range(count)]


def utc(*parts):
    return datetime(*parts, tzinfo=timezone.utc)


class HourStartsTest(unittest.TestCase):
    def test_ordinary_day_has_24_hours(self):
        self.assertEqual(len(labels(ORDINARY)), 24)
        self.assertEqual(labels(ORDINARY)[0], "00:00 +0200")
        self.assertEqual(labels(ORDINARY)[-1], "23:00 +0200")

    def test_winter_day_has_24_hours(self):
        self.assertEqual(labels(date(2024, 1, 1))[13], "13:00 +0100")
        self.assertEqual(len(labels(date(2024, 1, 1))), 24)

    def test_clocks_forward_skip_an_hour(self):
        self.assertEqual(labels(FORWARD)[:4], ["00:00 +0100", "01:00 +0100", "03:00 +0200", "04:00 +0200"])
        self.assertEqual(len(labels(FORWARD)), 23)

    def test_clocks_back_repeat_an_hour(self):
        self.assertEqual(labels(BACK)[1:5], ["01:00 +0200", "02:00 +0200", "02:00 +0100", "03:00 +0100"])
        self.assertEqual(len(labels(BACK)), 25)

    def test_repeated_hour_in_another_zone(self):
        self.assertEqual(labels(BACK, PORTO)[:4], ["00:00 +0100", "01:00 +0100", "01:00 +0000", "02:00 +0000"])


class TotalsTest(unittest.TestCase):
    def test_quarters_add_up(self):
        lines = ["2024-06-12T08:00:00Z 0.5", "2024-06-12T08:15:00Z 0.25  # late", "", "2024-06-12T09:00:00Z 2"]
        totals = [kwh for _, kwh in hourly_totals(parse(lines), ORDINARY, LEIPZIG)]
        self.assertEqual(totals[10:12], [0.75, 2.0])
        self.assertEqual(sum(totals), 2.75)

    def test_readings_of_other_days_are_left_out(self):
        readings = one_per_hour(utc(2024, 6, 11, 12), 48)
        totals = hourly_totals(readings, ORDINARY, LEIPZIG)
        self.assertEqual([kwh for _, kwh in totals], [1.0] * 24)

    def test_long_day_keeps_its_last_hour(self):
        readings = one_per_hour(utc(2024, 10, 26, 22), 25)
        totals = hourly_totals(readings, BACK, LEIPZIG)
        self.assertEqual(sum(kwh for _, kwh in totals), 25.0)

    def test_short_day_takes_nothing_from_the_next(self):
        readings = one_per_hour(utc(2024, 3, 30, 23), 24)
        totals = hourly_totals(readings, FORWARD, LEIPZIG)
        self.assertEqual(sum(kwh for _, kwh in totals), 23.0)

    def test_report_of_an_ordinary_day(self):
        lines = report([Reading(utc(2024, 6, 11, 22), 1.5)], ORDINARY, LEIPZIG)
        self.assertEqual(lines[0], "00:00 +0200    1.50")
        self.assertEqual(lines[-1], "sum            1.50")


if __name__ == "__main__":
    unittest.main()
