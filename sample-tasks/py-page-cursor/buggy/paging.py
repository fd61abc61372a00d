"""Pages of a long list, for the HTTP API.

A cursor names the last row that a client has seen, not a row number, so rows that are added or deleted
between two requests neither repeat nor hide others. To the client it is an opaque word.
"""

import base64
import binascii
import json

MAX_LIMIT = 100


class BadCursor(Exception):
    """The client sent a cursor that we did not make, or made for another list."""


def encode_cursor(listing, last_id):
    """Return the cursor for the page after the row `last_id` of `listing`.

    The cursor is text and safe inside a URL without further quoting.
    """
    payload = json.dumps([listing, last_id], separators=(",", ":"))
    return base64.urlsafe_b64encode(payload.encode("utf-8")).rstrip(b"=")


def decode_cursor(listing, cursor):
    """Return the row id inside `cursor`, or raise BadCursor when it does not belong to `listing`."""
    padding = "=" * (-len(cursor) % 4)
    try:
        payload = base64.urlsafe_b64decode(cursor + padding)
        found, last_id = json.loads(payload)
    except (ValueError, TypeError, binascii.Error):
        raise BadCursor("cannot read this cursor") from None
    if found != listing:
        raise BadCursor("this cursor belongs to another list")
    return last_id


def page(listing, rows, limit=20, cursor=None):
    """Return one page of `rows` as the dictionary that the API sends.

    `rows` are dictionaries with an `id`, in ascending order of it. `next` is the cursor of the
    following page, or None on the last one. A limit outside 1..100 is moved to the nearest end.
    """
    limit = max(1, min(limit, MAX_LIMIT))
    if cursor is not None:
        last_id = decode_cursor(listing, cursor)
        rows = [row for row in rows if row["id"] > last_id]
    shown = rows[:limit]
    more = len(rows) > limit
    return {
        "items": shown,
        "count": len(shown),
        "next": encode_cursor(listing, shown[-1]["id"]) if more else None,
    }
