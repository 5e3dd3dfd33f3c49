# SPDX-License-Identifier: Apache-2.0
"""The tables of findings are filled from their scenarios, and every picture has a command."""

import csv
import io
import unittest

import findings
import pictures


class Tables(unittest.TestCase):
    def test_say_what_the_scenarios_expect(self):
        names = findings.numbered()
        for path in findings.TABLES.glob("*.csv"):
            text = path.read_text(encoding="utf-8")
            rows = list(csv.DictReader(io.StringIO(text)))
            if "scenario" in rows[0]:
                with self.subTest(path.name):
                    self.assertEqual(findings.written(findings.filled(row, names) for row in rows), text)

    def test_a_row_is_filled(self):
        row = {"finding": "Two.", "scenario": "single_counter/two_views.json#leak_resize"}
        filled = findings.filled(row, {"leak": "P2 leak"})
        self.assertEqual(("P2 leak", 3, "115"), (filled["property"], filled["steps"], filled["states"]))

    def test_a_scenario_that_is_not_there_is_an_error(self):
        with self.assertRaises(FileNotFoundError):
            findings.scenario_of("single_counter/nothing.json")
        with self.assertRaises(ValueError):
            findings.scenario_of("single_counter/two_views.json#nothing")
        with self.assertRaises(ValueError):
            findings.scenario_of("single_counter/two_views.json")


class MovedCounts(unittest.TestCase):
    """docs/reference/data/moved_counts.csv, newest first, is what the changelog says of pinned counts."""

    def test_end_where_the_scenarios_are(self):
        path = findings.ROOT / "docs/reference/data/moved_counts.csv"
        newest = {}
        for row in csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"))):
            newest.setdefault(row["scenario"], row)
        self.assertTrue(newest)
        for scenario, row in newest.items():
            expect = findings.scenario_of(scenario)["expect"]
            for count in ("states", "steps"):
                if row[count]:
                    with self.subTest(scenario):
                        self.assertEqual(int(row[count].replace(",", "")), expect[count])


class Pictures(unittest.TestCase):
    def test_have_a_command_each(self):
        drawn = {row["picture"] for row in pictures.rows()}
        self.assertEqual(drawn, {path.stem for path in pictures.PICTURES.glob("*.svg")})


if __name__ == "__main__":
    unittest.main()
