"""What the pages keep of many findings, and that they say what the stored tables say."""

import unittest

import fill_tables
from fill_tables import smallest


class Smallest(unittest.TestCase):
    def test_keeps_what_no_simpler_scope_shows(self):
        none = (2, frozenset(), 8, "a")
        slower = (2, frozenset({"crashes"}), 5, "a")
        larger = (3, frozenset(), 4, "a")
        self.assertEqual(smallest([larger, slower, none]), [none])

    def test_keeps_what_takes_other_circumstances(self):
        crash = (2, frozenset({"crashes"}), 5, "a")
        both = (2, frozenset({"crashes", "deletions"}), 3, "a")
        deleted = (2, frozenset({"deletions"}), 5, "b")
        self.assertEqual(smallest([both, deleted, crash]), [crash, deleted])

    def test_keeps_fewer_clients_with_more_circumstances(self):
        three = (3, frozenset(), 5, "a")
        two = (2, frozenset({"crashes"}), 5, "a")
        self.assertEqual(smallest([three, two]), [two, three])


class Pages(unittest.TestCase):
    def test_say_what_the_tables_say(self):
        for page in fill_tables.DOCS.rglob("*.md"):
            text = page.read_text(encoding="utf-8")
            self.assertEqual(fill_tables.filled(text), text, page.name)

    def test_show_each_table(self):
        text = "".join(page.read_text(encoding="utf-8") for page in fill_tables.DOCS.rglob("*.md"))
        for table in (fill_tables.DOCS / "sweeps").glob("*.table.json"):
            name = table.name.removesuffix(".table.json")
            self.assertIn(f"<!-- sweep {name} -->", text)


if __name__ == "__main__":
    unittest.main()
