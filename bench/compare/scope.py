# SPDX-License-Identifier: Apache-2.0
"""What a scenario file of this folder says, as the arguments of the models for SPIN and Rumur."""

import json
import pathlib


class Scope:
    """Callers of one key, each of whom acquires once and releases once."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        scenario = json.loads(self.path.read_text(encoding="utf-8"))
        parameters = scenario.get("parameters", {})
        self.tries = parameters.get("max_decr_tries", 15)
        self.manager = parameters.get("manager", "full")
        self.buckets = []
        max_pers = set()
        for caller in scenario["callers"]:
            self._require([list(operation) for operation in caller["script"]]
                          == [["acquire"], ["release"]], "each caller acquires and releases once")
            acquire = caller["script"][0]["acquire"]
            self.buckets += [acquire["buckets"]] * caller.get("count", 1)
            max_pers.add(acquire["max_per"])
        self._require(len(max_pers) == 1, "all callers have the same max_per")
        self.max_per = max_pers.pop()
        table = parameters.get("table", "cold")
        self.start = "cold" if table == "cold" else "warm"
        self._require(table in ("cold", {"warm": max(self.buckets)}),
                      "cold, or warm with as many buckets as the largest view")
        self._require("faults" not in scenario, "no crashes")

    def _require(self, holds, what):
        if not holds:
            raise ValueError(f"{self.path}: the models for SPIN and Rumur have only this: {what}")

    @property
    def name(self):
        return self.path.stem

    label = name

    @property
    def model_arguments(self):
        """Of run_spin.sh and run_rumur.sh."""
        return [",".join(map(str, self.buckets)), str(self.max_per), str(self.tries), self.start,
                self.manager]

    @property
    def spin_command(self):
        return ["run_spin.sh", *self.model_arguments]
