"""How figures become cells, and that the document has a place for each table."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import rates_scopes  # noqa: E402
import rates_table  # noqa: E402


def point(method, value, low, high):
    """A point with one property."""
    rates = {"property": "leak", "per_run": {"value": value, "low": low, "high": high}}
    result = {"method": method, "properties": [rates], "states": 1234, "runs": 5000}
    return {"result": result, "agreement": None}


class Cells(unittest.TestCase):
    """One figure of a table."""

    def test_exact_figures_have_four_digits_and_no_interval(self):
        self.assertEqual(rates_table.cell(point("exact", 0.123456, 0.1, 0.2), "leak"), "0.1235")
        self.assertEqual(rates_table.cell(point("exact", 2.0784e-5, 0, 1), "leak"), "2.078e-5")
        self.assertEqual(rates_table.cell(point("exact", 0, 0, 0), "leak"), "0")

    def test_sampled_figures_have_their_interval_and_no_hit_its_end(self):
        self.assertEqual(rates_table.cell(point("sampled", 0.5, 0.25, 0.75), "leak"), "0.5 [0.25, 0.75]")
        self.assertEqual(rates_table.cell(point("sampled", 0, 0, 5.3e-5), "leak"), "< 5.3e-5")

    def test_what_does_not_apply_is_a_dash(self):
        self.assertEqual(rates_table.cell(point("exact", 0, 0, 0), "phantom"), "-")

    def test_the_last_column_says_how(self):
        self.assertEqual(rates_table.how(point("exact", 0, 0, 0)), "exact, 1,234 states")
        self.assertEqual(rates_table.how(point("sampled", 0, 0, 0)), "sampled, 5,000 runs")

    def test_a_disagreement_ends_the_tool(self):
        wrong = point("exact", 0, 0, 0)
        wrong["agreement"] = {"agrees": False, "difference": "leak"}
        with self.assertRaises(SystemExit):
            rates_table.how(wrong)


class Document(unittest.TestCase):
    """docs/reference/rates_tables.md."""

    def test_each_table_has_its_place_and_as_many_columns_as_its_rows(self):
        text = rates_table.DOCUMENT.read_text(encoding="utf-8")
        for table in rates_scopes.tables():
            begin = text.index(f"<!-- {table.name} -->")
            lines = text[begin : text.index(f"<!-- end {table.name} -->")].splitlines()[1:]
            self.assertGreater(len(lines), 2, table.name)
            self.assertEqual({line.count("|") for line in lines}, {lines[0].count("|")}, table.name)

    def test_a_table_is_replaced_and_nothing_else(self):
        text = "a\n<!-- x -->\nold\n<!-- end x -->\nb\n"
        self.assertEqual(rates_table.filled(text, "x", ["new"]), "a\n<!-- x -->\nnew\n<!-- end x -->\nb\n")


if __name__ == "__main__":
    unittest.main()
