# SPDX-License-Identifier: Apache-2.0
import json
import pathlib
import tempfile
import unittest
from unittest import mock

import schedules_to_a_bug
import stored_tables
import table_of_strategies


def row(subject, **medians):
    return {"subject": subject, "median": medians, "found": {name: 20 for name in medians}}


class SchedulesToABug(unittest.TestCase):
    def test_a_seed_that_finds_nothing_counts_as_more_than_all_schedules(self):
        self.assertEqual(3, table_of_strategies.median([1, 3, None], 100))
        self.assertIsNone(table_of_strategies.median([1, None, None], 100))
        self.assertEqual(2, table_of_strategies.median([1, 3], 100))

    def test_a_scenario_that_fuzzes_keeps_its_scope_and_drops_what_it_was_asked(self):
        scenario = schedules_to_a_bug.fuzzed(
            {"system": "canal", "expect": {"states": 1}, "order": ["A"], "limits": {"steps": 7, "states": 8}},
            ["leak"], "pos", 3, 50)
        self.assertEqual({"system": "canal", "method": "fuzz", "strategy": "pos", "seed": 3, "check": ["leak"],
                          "limits": {"steps": 7, "schedules": 50}}, scenario)

    def test_every_mutant_that_a_property_kills_is_a_subject(self):
        names = [name for name, _, _ in schedules_to_a_bug.subjects()]
        self.assertEqual(len(names), len(set(names)))
        killed = [one for one in stored_tables.mutants("models")["rows"] if one["kills"]]
        self.assertEqual(len(killed), sum(name.startswith("mutant ") for name in names))
        self.assertGreater(sum(name.startswith("finding ") for name in names), 100)

    def test_what_is_stored_of_other_strategies_stays_when_it_was_measured_alike(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(stored_tables, "DOCS", pathlib.Path(folder)):
            (pathlib.Path(folder) / "mutation").mkdir()
            stored_tables.write_mutants("strategies", {"seeds": 20, "schedules": 100, "strategies": ["old"]},
                                        [row("mutant a", old=5)])
            rows, strategies = schedules_to_a_bug.stored_with([row("mutant a", new=2)], ["new"], 20, 100)
            self.assertEqual(["old", "new"], strategies)
            self.assertEqual({"old": 5, "new": 2}, rows[0]["median"])
            self.assertEqual(["new"], schedules_to_a_bug.stored_with([row("mutant b", new=2)], ["new"], 20, 100)[1])
            self.assertEqual(["new"], schedules_to_a_bug.stored_with([row("mutant a", new=2)], ["new"], 20, 99)[1])
            self.assertTrue(json.dumps(rows))


if __name__ == "__main__":
    unittest.main()
