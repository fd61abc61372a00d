import json
import unittest
from urllib.parse import quote

from paging import BadCursor, decode_cursor, encode_cursor, page


def rows(*ids):
    return [{"id": n, "name": f"row {n}"} for n in ids]


class PageTest(unittest.TestCase):
    def test_empty_list(self):
        self.assertEqual(page("orders", []), {"items": [], "count": 0, "next": None})

    def test_everything_on_one_page(self):
        answer = page("orders", rows(1, 2, 3), limit=3)
        self.assertEqual(answer["count"], 3)
        self.assertIsNone(answer["next"])

    def test_limit_is_moved_into_bounds(self):
        many = rows(*range(1, 151))
        self.assertEqual(page("orders", many, limit=0)["count"], 1)
        self.assertEqual(page("orders", many, limit=500)["count"], 100)

    def test_answer_with_next_page_is_json(self):
        answer = page("orders", rows(1, 2, 3), limit=2)
        self.assertEqual(json.loads(json.dumps(answer)), answer)

    def test_client_walks_through_all_pages(self):
        many = rows(2, 3, 5, 7, 11, 13, 17)
        seen, cursor = [], None
        for _ in range(10):
            answer = page("orders", many, limit=3, cursor=cursor)
            seen += [row["id"] for row in answer["items"]]
            cursor = answer["next"]
            if cursor is None:
                break
        self.assertEqual(seen, [2, 3, 5, 7, 11, 13, 17])

    def test_row_added_meanwhile_hides_nothing(self):
        after_20 = "WyJvcmRlcnMiLDIwXQ"
        answer = page("orders", rows(5, 10, 20, 25, 30), limit=5, cursor=after_20)
        self.assertEqual([row["id"] for row in answer["items"]], [25, 30])


class CursorTest(unittest.TestCase):
    def test_cursor_is_text(self):
        self.assertIsInstance(encode_cursor("orders", 41), str)

    def test_cursor_needs_no_quoting(self):
        for n in range(300):
            cursor = encode_cursor("orders?ÿ>", n)
            self.assertEqual(quote(cursor, safe=""), cursor)

    def test_known_cursor_still_works(self):
        self.assertEqual(decode_cursor("orders", "WyJvcmRlcnMiLDQxXQ"), 41)

    def test_cursor_of_another_list_is_refused(self):
        with self.assertRaisesRegex(BadCursor, "another list"):
            decode_cursor("invoices", "WyJvcmRlcnMiLDQxXQ")

    def test_damaged_cursor_is_refused(self):
        for cursor in ("x", "!!!", "WyJvcmRl", "bnVsbA"):
            with self.subTest(cursor), self.assertRaisesRegex(BadCursor, "cannot read"):
                decode_cursor("orders", cursor)


if __name__ == "__main__":
    unittest.main()
