"""What tools/sweep.py keeps of many findings, and that its scopes are what they say."""

import unittest

from sweep import smallest
from sweep_common import CRASH, RESTART, sets_of
from sweep_scopes import SYSTEMS


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


class Scopes(unittest.TestCase):
    def test_are_all_sets_but_those_that_exclude_each_other(self):
        sets = list(sets_of(["a", "b", "c"], 2, [("a", "b")]))
        self.assertEqual(len(sets), 1 + 3 + 2)

    def test_name_only_what_their_scenario_has(self):
        for scopes in SYSTEMS.values():
            for variant in ("faithful", "repaired"):
                for scope in scopes(variant):
                    faults = set(scope.scenario["faults"])
                    if RESTART in faults:
                        faults.remove(CRASH)  # whoever starts again has died before
                    self.assertLessEqual(faults, scope.circumstances)
                    count = sum(entry.get("count", 1) for entry in scope.scenario["callers"])
                    self.assertEqual(count, scope.clients)


if __name__ == "__main__":
    unittest.main()
