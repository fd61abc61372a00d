"""What the meters send: one line per reading, `2024-03-31T00:15:00Z 0.42`."""

from dataclasses import dataclass
from datetime import datetime, timezone


@dataclass(frozen=True)
class Reading:
    """Energy used in the quarter of an hour that begins at `at`."""

    at: datetime  # always in UTC
    kwh: float


def parse(lines):
    """Yield the readings in `lines`; empty lines and comments are skipped."""
    for line in lines:
        line = line.partition("#")[0].strip()
        if line:
            stamp, kwh = line.split()
            at = datetime.strptime(stamp, "%Y-%m-%dT%H:%M:%SZ")
            yield Reading(at.replace(tzinfo=timezone.utc), float(kwh))
