#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lockkeeper beside SPIN, Rumur, Relacy and Concuerror on the same atomic steps (README.md).

Every tool runs once a round, one after the other, so that a noisy machine is noisy for all of them;
figures are medians of the rounds, ratios medians of the ratios of each round. Costs are CPU seconds
of the whole process. Exit codes: 0 done, 1 state counts that must agree do not, or a tool failed.
"""

import argparse
import json
import os
import pathlib
import platform
import statistics
import sys

sys.dont_write_bytecode = True

import clock_scope
import scope
import tools

HERE = tools.HERE
SCOPES = HERE / "scopes"
SMALL_SCOPES = tools.ROOT / "scenarios/canal/small_scopes"

THROUGHPUT = {True: ["counters_6x2", "manager_4x2"], False: ["counters_7x2", "manager_5x1"]}
SYMMETRY = {True: ["counters_6x2"], False: ["counters_8x2"]}
# Cases of scopes/SYSTEM.json.
CLOCKS = {
    True: [("monglock_write", "3_clients_clock_jumps"),
           ("lease_coordinator", "3_clients_four_faults")],
    False: [("monglock_write", "3_clients_four_faults"), ("monglock_write", "4_clients"),
            ("lease_coordinator", "2_clients_eight_faults"),
            ("lease_coordinator", "3_clients_five_faults")],
}
RANDOM_CALLERS = [2, 3, 4]

# Recorded once, not run here: Concuerror explores the Erlang original without repeating equivalent
# interleavings. (scope, interleavings, CPU s); None: not finished in minutes.
CONCUERROR = [
    ("2_callers_1x2", 86, 2.3), ("3_callers_1x1", 149, 2.1), ("3_callers_2x1", 3763, 10.4),
    ("3_callers_1x2", 52304, 155), ("4_callers_1x1", 5174, 15), ("4_callers_1x2", None, None),
    ("4_callers_2x2", None, None), ("2_callers_1x2_twice", 38636, 101),
    ("3_callers_seeing_1_2_2", 18939, 50), ("2_callers_2x1_one_killed", 2328, 25),
    ("3_callers_1x1_cold", 1871, 5),
]


def canal(names):
    return [scope.Scope(SCOPES / f"{name}.json") for name in names]


def median(runs, key):
    return statistics.median(run[key] for run in runs)


def steps_per_s(run):
    return run["steps"] / run["cpu_s"]


def ratio(own_runs, other_runs, rate):
    """How many times faster Lockkeeper is."""
    return statistics.median(rate(own) / rate(other)
                             for own, other in zip(own_runs, other_runs))


def sentence(text):
    print(text, flush=True)


class Comparison:
    def __init__(self, options):
        self.options = options
        self.lockkeeper = tools.Lockkeeper(options.lockkeeper, options.flags.split())
        self.clock = f"{options.clock}_s"
        self.disagreements = 0
        self.skipped = []

    def _states_per_s(self, run):
        return run["states"] / max(run[self.clock], 0.001)

    def _present(self, candidates):
        for tool in candidates:
            if reason := tool.missing():
                if reason not in self.skipped:
                    self.skipped.append(reason)
                    sentence(f"skipped: {reason}")
        return [tool for tool in candidates if not tool.missing()]

    def _rounds(self, run_once):
        """run_once() gives {tool: run}; here {tool: [run, ...]}."""
        runs = {}
        for _ in range(self.options.rounds):
            for name, run in run_once().items():
                runs.setdefault(name, []).append(run)
        return runs

    def explorers(self, scopes, candidates, symmetry):
        found = []
        others = self._present(candidates)
        width = max(14, *(len(one.label) for one in scopes))
        sentence(f"{'scope':<{width}} {'tool':<11} {'states':>12} {'transitions':>12}"
                 f" {self.options.clock + ' s':>8} {'states/s':>11} {'MiB':>7} {'B/state':>8}"
                 "   lockkeeper is")
        for one in scopes:

            def run_once():
                own = self.lockkeeper.explore(one, symmetry)
                theirs = {tool.name: tool.explore(one, symmetry, own["states"])
                          for tool in others}
                return {self.lockkeeper.name: own, **theirs}

            runs = self._rounds(run_once)
            own_runs = runs[self.lockkeeper.name]
            for tool in [self.lockkeeper, *others]:
                found.append(self._explorer_line(f"{one.label:<{width}}", tool, runs[tool.name],
                                                own_runs))
        return found

    def _explorer_line(self, label, tool, runs, own_runs):
        counts = getattr(tool, "counts_every_state", True)
        times = ratio(own_runs, runs, self._states_per_s) if counts and runs != own_runs else None
        first, first_own = runs[0], own_runs[0]
        rate = statistics.median(map(self._states_per_s, runs))
        # The process with its tables; meaningless for few states.
        bytes_per_state = median(runs, "total_mib") * 2**20 / first["states"]
        sentence(f"{label} {tool.name:<11} {first['states']:>12,} {first['transitions']:>12,}"
                 f" {median(runs, self.clock):>8.2f} {rate:>11,.0f}"
                 f" {median(runs, 'total_mib'):>7,.0f} {bytes_per_state:>8,.0f}"
                 f"   {f'{times:.1f} times as fast' if times else ''}".rstrip())
        if counts and any(
                run["states"] != first_own["states"] or
                abs(run["transitions"] - first_own["transitions"]) >
                run.get("transitions_within", 0)
                for run in runs):
            self.disagreements += 1
            sentence(f"{label.rstrip()}: {tool.name} and lockkeeper do not agree on states and"
                     " transitions")
        return {"scope": label.rstrip(), "tool": tool.name, "states": first["states"],
                "transitions": first["transitions"], "states_per_s": rate,
                "cpu_s": median(runs, "cpu_s"), "wall_s": median(runs, "wall_s"),
                "total_mib": median(runs, "total_mib"), "bytes_per_state": bytes_per_state,
                "lockkeeper_times_as_fast": times}

    def clocks(self, names):
        all_scopes = {system: clock_scope.scopes_of(SCOPES / f"{system}.json")
                      for system in clock_scope.MODELS}
        found = self.explorers([all_scopes[system][name] for system, name in names],
                               [tools.Spin(), tools.Reduced(self.lockkeeper)], symmetry=False)
        for spin in self._present([tools.Spin("-O1 -DSAFETY -DNOREDUCE")]):
            sentence("Steps of a shortest violation of belief-overlap")
            judged = [one for scopes in all_scopes.values() for one in scopes.values()
                      if one.checks]
            found += [self._shortest_line(one, spin) for one in judged]
        return found

    def _shortest_line(self, one, spin):
        own, theirs = self.lockkeeper.shortest(one), spin.shortest(one)
        sentence(f"{one.label:<38} lockkeeper {own or 'none'}, spin {theirs or 'none'}")
        if own != theirs:
            self.disagreements += 1
            sentence(f"{one.label}: spin and lockkeeper do not agree on the shortest violation")
        return {"scope": one.label, "lockkeeper_steps": own, "spin_steps": theirs}

    def small_scopes(self):
        found = []
        sentence(f"{'scope':<25} {'states':>8} {'interleavings':>26} {'CPU s':>6}   "
                 "Concuerror (recorded)         times the CPU s")
        for name, interleavings, seconds in CONCUERROR:
            path = SMALL_SCOPES / f"{name}.json"
            runs = [self.lockkeeper.run(tools.WHOLE_SMALL_SCOPE, path)
                    for _ in range(self.options.rounds)]
            if not all(run["complete"] for run in runs):
                raise tools.ToolFailed(f"lockkeeper did not explore all of {name}")
            own = median(runs, "cpu_s")
            recorded = (f"{interleavings:>7,} in {seconds:>5} s" if seconds
                        else "not finished in minutes")
            sentence(f"{name:<25} {runs[0]['states']:>8,} {int(runs[0]['interleavings']):>26.3g}"
                     f" {own:>6.3f}   {recorded:<25}"
                     f" {f'{seconds / own:>12,.0f}' if seconds else ''}".rstrip())
            found.append({"scope": name, "states": runs[0]["states"], "cpu_s": own,
                          "interleavings": runs[0]["interleavings"],
                          "concuerror_interleavings": interleavings, "concuerror_cpu_s": seconds,
                          "concuerror_times_cpu_s": seconds and seconds / own})
        return found

    def random_runs(self):
        found = []
        others = self._present([tools.Relacy(self.options.relacy, 1 if self.options.quick else 4)])
        sentence(f"{'scope':<14} {'tool':<11} {'steps/s':>12}   lockkeeper is")
        for callers in RANDOM_CALLERS:
            name = f"counters_{callers}x2"

            def run_once():
                own = self.lockkeeper.run(tools.RANDOM_RUNS, SCOPES / f"{name}.json")
                return {self.lockkeeper.name: own,
                        **{tool.name: tool.run(callers) for tool in others}}

            runs = self._rounds(run_once)
            for tool, tool_runs in runs.items():
                own = tool == self.lockkeeper.name
                rate = statistics.median(map(steps_per_s, tool_runs))
                times = None if own else ratio(runs[self.lockkeeper.name], tool_runs, steps_per_s)
                sentence(f"{name:<14} {tool:<11} {rate:>12,.0f}"
                         f"   {'' if own else f'{times:.1f} times as fast'}".rstrip())
                found.append({"scope": name, "tool": tool, "steps_per_s": rate,
                              "lockkeeper_times_as_fast": times})
        return found

    def run(self):
        options, quick = self.options, self.options.quick
        parts = {
            "throughput": ("Every state, no reduction", lambda: self.explorers(
                canal(THROUGHPUT[quick]), [tools.Spin(), tools.Rumur()], symmetry=False)),
            "symmetry": ("States up to symmetry", lambda: self.explorers(
                canal(SYMMETRY[quick]), [tools.Rumur()], symmetry=True)),
            "clocks": ("Systems with clocks, every state; reduced: symmetry, and relative time where there is one",
                       lambda: self.clocks(CLOCKS[quick])),
            "small_scopes": ("Small scopes, process start and report included",
                             self.small_scopes),
            "random": ("Random schedules, nothing checked", self.random_runs),
        }
        results = {"rounds": options.rounds, "quick": quick, "flags": options.flags,
                   "clock": options.clock, "machine": f"{platform.machine()}, {os.cpu_count()} cores"}
        for part, (title, measure) in parts.items():
            if part in options.parts:
                sentence(f"\n{title} (medians of {options.rounds} rounds)")
                results[part] = measure()
        results["skipped"] = self.skipped
        results["counts_agree"] = self.disagreements == 0
        return results


PARTS = ["throughput", "symmetry", "clocks", "small_scopes", "random"]


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--lockkeeper", default=tools.ROOT / "build/release/lockkeeper")
    parser.add_argument("--relacy", default=tools.ROOT / "build/bench/relacy_counters")
    parser.add_argument("--flags", default="", metavar="'FLAG ...'",
                        help="more flags for lockkeeper explore, e.g. --flags='--jobs 2'")
    parser.add_argument("--clock", choices=["cpu", "wall"], default="cpu",
                        help="of the explorers; wall is for --jobs on an idle machine")
    parser.add_argument("--rounds", type=int, default=int(os.environ.get("ROUNDS", "3")))
    parser.add_argument("--quick", action="store_true", help="smaller scopes: about three minutes")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--json", metavar="FILE", type=pathlib.Path)
    options = parser.parse_args()
    if options.rounds < 1:
        parser.error("at least one round")
    return options


def main():
    options = parse_options()
    comparison = Comparison(options)
    if reason := comparison.lockkeeper.missing():
        print(f"compare: {reason}; make compare builds it", file=sys.stderr)
        return 1
    try:
        results = comparison.run()
    except tools.ToolFailed as failure:
        print(f"compare: {failure}", file=sys.stderr)
        return 1
    if options.json:
        options.json.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
    return 1 if comparison.disagreements else 0


if __name__ == "__main__":
    sys.exit(main())
