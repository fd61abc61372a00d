"""Energy per hour of a plant's local day, for the daily report."""

from datetime import datetime, time, timedelta, timezone

HOUR = timedelta(hours=1)
DAY = timedelta(days=1)


def hour_starts(day, zone):
    """Return the beginning of every hour of the local day `day`, in order, as times in `zone`.

    A day is what lies between two local midnights. It has 23 hours when the clocks go forward and 25
    when they go back; the hour that occurs twice is listed twice.
    """
    midnight = datetime.combine(day, time.min, tzinfo=zone)
    following = datetime.combine(day + DAY, time.min, tzinfo=zone)
    starts = []
    moment = midnight
    while moment < following:
        starts.append(moment)
        moment += HOUR
    return starts


def hourly_totals(readings, day, zone):
    """Return a list of (start, kWh) for the hours of `day`. Readings of other days are left out."""
    starts = hour_starts(day, zone)
    first = starts[0].astimezone(timezone.utc)
    totals = [0.0] * len(starts)
    for reading in readings:
        index = (reading.at - first) // HOUR
        if 0 <= index < len(totals):
            totals[index] += reading.kwh
    return list(zip(starts, totals))


def report(readings, day, zone):
    """Return the lines of the report: local hour, offset from UTC, energy; then the sum."""
    totals = hourly_totals(readings, day, zone)
    lines = [f"{start:%H:%M %z} {kwh:7.2f}" for start, kwh in totals]
    lines.append(f"sum         {sum(kwh for _, kwh in totals):7.2f}")
    return lines
