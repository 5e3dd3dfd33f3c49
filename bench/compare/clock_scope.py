# SPDX-License-Identifier: Apache-2.0
"""What a case of scopes/monglock_write.json or scopes/lease_coordinator.json says, as the parameters
of its model for SPIN. What the models do not have is refused."""

import json
import pathlib

INSTANT_MOST = 32767  # of the models
BEGINNING = 1000

ACQUIRE, RELEASE = {"acquire": {"key": "db"}}, {"release": {"key": "db"}}
HEARTBEAT = {"call": {"what": "heartbeat", "key": "db"}}

MODELS = {
    "monglock_write": {
        "parameters": {"locktimeout": 10000, "jump": 1, "exists": 1},
        "faults": {"not_applied", "ack_lost", "late_requests", "duplicates", "resends", "read_fails",
                   "read_lags", "deletions", "failovers", "save_backs", "clock_jumps", "crashes",
                   "client_restarts"},
        "planted": "takes_active",
    },
    "lease_coordinator": {
        "parameters": {"ttl": 5000, "grace": 0, "reaper": 1000, "until": 15000, "jump": 1,
                       "reaps": 1},
        "faults": {"lost_requests", "lost_replies", "late_requests", "duplicates", "resends",
                   "hook_failures", "deletions", "clock_jumps", "small_tokens",
                   "client_clock_jumps", "crashes", "client_restarts"},
        "planted": "reaps_by_client_clock",
    },
}


def laid_over(scenario, case):
    """As scenario files say: of parameters and faults a case replaces members, else the whole."""
    merged = {key: value for key, value in scenario.items() if key != "cases"}
    for key, value in case.items():
        merged[key] = ({**merged.get(key, {}), **value} if key in ("parameters", "faults")
                       else value)
    return merged


class ClockScope:
    def __init__(self, file, scenario, case):
        self.name = case["name"]
        self.path = f"{file}#{self.name}"
        merged = laid_over(scenario, case)
        broken = merged["system"].endswith("_broken")
        self.system = merged["system"].removesuffix("_broken")
        self.label = f"{self.system} {self.name}"
        self.model = MODELS[self.system]
        self.checks = merged["check"] != []
        self._require(merged["check"] in ([], ["belief-overlap"]), "belief-overlap, or nothing")
        numbers = dict(merged.get("parameters", {}))
        if broken:
            self._require(merged["variant"] == self.model["planted"], "one planted bug")
            self._require(numbers.pop("repairs", None) == [], "planted in the published lock")
        self._require("repairs" not in numbers, "the published lock")
        self.numbers = {**self.model["parameters"], **numbers}
        self._require(self.numbers.keys() == self.model["parameters"].keys(), "these parameters")
        self.faults = merged.get("faults", {})
        self._require(self.faults.keys() <= self.model["faults"], "these faults")
        self._read_callers(merged["callers"])
        self._require(self._last_instant() <= INSTANT_MOST, f"instants up to {INSTANT_MOST}")
        self.planted = broken

    def _read_callers(self, callers):
        self.clients, self.heartbeats, self.clock = 0, None, 0
        for caller in callers:
            heartbeats = len(caller["script"]) - 2
            self._require(caller["script"] == [ACQUIRE, *[HEARTBEAT] * heartbeats, RELEASE],
                          "acquire, heartbeats, release")
            self._require(self.heartbeats in (None, heartbeats), "one script for all")
            self.heartbeats = heartbeats
            settings = caller.get("settings", {})
            self._require(settings.keys() <= {"clock"} and (not settings or self.clients == 0),
                          "a clock of the first client")
            self.clock = settings.get("clock", self.clock)
            self.clients += caller.get("count", 1)
        leases = self.system == "lease_coordinator"
        self._require(self.clients <= 4 and (leases or self.heartbeats + self.clock == 0),
                      "at most 4 clients, with heartbeats and a clock of leases only")

    def _last_instant(self):
        faults, numbers = self.faults, self.numbers
        jumps = faults.get("clock_jumps", 0) + faults.get("client_clock_jumps", 0)
        slack = 1 + 2 * jumps * numbers["jump"] + abs(self.clock)
        if self.system == "lease_coordinator":
            return BEGINNING + numbers["until"] + numbers["ttl"] + numbers["reaper"] + slack
        # Time goes on to a locktimeout after what the last acquire has read.
        acquires = self.clients + faults.get("client_restarts", 0)
        return BEGINNING + acquires * (numbers["locktimeout"] + slack)

    def _require(self, holds, what):
        if not holds:
            raise ValueError(f"{self.path}: the model for SPIN has only this: {what}")

    @property
    def spin_command(self):
        """run_pan.sh and its arguments."""
        defines = {"n": self.clients, **self.numbers, **self.faults}
        if self.system == "lease_coordinator":
            defines.update(heartbeats=self.heartbeats, clock0=self.clock)
        if self.planted:
            defines[self.model["planted"]] = 1
        return ["run_pan.sh", f"{self.system}.pml", self.name,
                *[f"-D{name.upper()}={value}" for name, value in defines.items()]]


def scopes_of(path):
    """All cases of the file, by name."""
    scenario = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    return {case["name"]: ClockScope(path, scenario, case) for case in scenario["cases"]}
