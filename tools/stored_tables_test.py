# SPDX-License-Identifier: Apache-2.0
"""What the pages keep of stored tables, and that pages, tables and their sources say the same."""

import unittest

import fill_tables
import mutation_native
import mutation_score
from stored_tables import DOCS, mutants
from table_of_findings import by_size, first_findings, smallest
from table_of_mutants import summary
from table_of_rates import cell, how


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


def canal_row(views, steps, **more):
    chosen = {"views": views, "views differ in": "both", "table": "warm", "circumstance": "one lock"}
    return {"chosen": chosen, "violated": {"leak": steps}, **more}


class FirstFindings(unittest.TestCase):
    def test_are_of_the_smallest_scope_whatever_its_steps(self):
        small = canal_row(["1x1", "2x2"], 9)
        rows = [canal_row(["1x1", "1x1", "2x2"], 3), canal_row(["1x1", "3x2"], 4), canal_row(["1x2", "2x2"], 5), small]
        self.assertEqual(min(rows, key=by_size), small)
        cells = first_findings(rows, lambda circumstance: circumstance)
        self.assertEqual(cells, {("leak", "both", "warm"): {"one lock": "9: 1x1+2x2"}})

    def test_say_what_takes_long(self):
        cells = first_findings([canal_row(["1x1"], 2, effort="long")], lambda circumstance: circumstance)
        self.assertEqual(list(cells.values()), [{"one lock": "2: 1x1 (long)"}])


class Rates(unittest.TestCase):
    def test_exact_figures_have_four_digits_and_no_interval(self):
        self.assertEqual([cell(0.1235), cell(2.078e-05), cell(0.0), cell(None)], ["0.1235", "2.078e-5", "0", "infinite"])

    def test_sampled_figures_have_their_interval_and_no_hit_its_end(self):
        self.assertEqual(cell([0.5, 0.25, 0.75]), "0.5 [0.25, 0.75]")
        self.assertEqual(cell([0.0, 0.0, 5.3e-05]), "< 5.3e-5")
        self.assertEqual(cell("-"), "-")

    def test_the_last_column_says_how(self):
        self.assertEqual(how({"method": "exact", "states": 1234}), "exact, 1,234 states")
        self.assertEqual(how({"method": "sampled", "runs": 5000}), "sampled, 5,000 runs")


class Mutants(unittest.TestCase):
    def test_the_score_counts_what_nothing_kills(self):
        killed = {"mutant": "a", "kills": {"leak": 2}, "pinned_answers": False, "schedules": 1, "sound_complete": True}
        alive = {**killed, "mutant": "b", "kills": {}, "schedules": None}
        self.assertIn("2 mutants, 1 killed (50.0 %): 1 by explore, 0 by", summary([killed, alive], 10))
        self.assertIn("Survivors: b.", summary([killed, alive], 10))
        self.assertIn("not searched completely for: a", summary([{**killed, "sound_complete": False}], 10))

    def test_the_table_has_those_that_are_shipped(self):
        shipped = [name for name, _ in mutation_score.mutants([])]
        self.assertEqual([row["mutant"] for row in mutants("models")["rows"]], shipped)

    def test_the_table_has_those_of_the_native_lock(self):
        rows = [(row["mutant"], row["header"], row["killed_by"] is None) for row in mutants("native")["rows"]]
        expected = [(name, header, survives) for name, header, _, _, survives in mutation_native.MUTANTS]
        self.assertEqual(rows, expected)

    def test_what_mutants_of_the_native_lock_change_is_there_once(self):
        for name, header, old, new, _ in mutation_native.MUTANTS:
            text = (mutation_native.ROOT / "impl" / "native" / header).read_text(encoding="utf-8")
            self.assertEqual(text.count(old), 1, name)
            self.assertNotEqual(old, new, name)


class Pages(unittest.TestCase):
    def setUp(self):
        self.texts = {page.name: page.read_text(encoding="utf-8") for page in (DOCS / "reference").glob("*.md")}

    def test_say_what_the_tables_say(self):
        for name, text in self.texts.items():
            self.assertEqual(fill_tables.filled(text), text, name)

    def test_show_each_table_once(self):
        shown = sorted(name for text in self.texts.values() for _, name in fill_tables.shown(text))
        sweeps = [table.name.removesuffix(".table.json") for table in (DOCS / "sweeps").glob("*.table.json")]
        self.assertEqual(shown, sorted(sweeps + [table.stem for table in (DOCS / "mutation").glob("*.json")]))

    def test_a_table_is_replaced_and_nothing_else(self):
        text = "a\n<!-- mutants native -->\nold\n<!-- end mutants -->\nb\n"
        filled = fill_tables.filled(text)
        self.assertTrue(filled.startswith("a\n<!-- mutants native -->\n| mutant |"), filled)
        self.assertTrue(filled.endswith(".\n<!-- end mutants -->\nb\n"), filled)


if __name__ == "__main__":
    unittest.main()
