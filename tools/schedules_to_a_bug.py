#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How many schedules `fuzz` needs to the first violation, strategy by strategy, on the same seeds.

    tools/schedules_to_a_bug.py [--bin DIR] [--seeds N] [--schedules N] [--store]
                                [--strategies NAME,...] [--only TEXT]

Subjects: every mutant that a property kills (tools/mutation_score.py: with the properties that
kill it), and every scenario in scenarios/**/findings that expects violations (with those). Each is
fuzzed from each seed until the first violation. --store: the medians into
docs/mutation/strategies.json, from which tools/fill_tables.py fills docs/reference/mutants.md.
What is there of other strategies is kept when it was measured in the same way, so that one strategy
can be measured at a time.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import mutation_score
import stored_tables
import table_of_strategies

ROOT = pathlib.Path(__file__).resolve().parents[1]
STORED = "strategies"
STRATEGIES = ("portfolio", "random", "pct:3", "pos", "feedback")
# What a run is asked is said by this script.
NOT_KEPT = ("expect", "reach", "find", "schedule", "order", "strategy", "stop_at_first", "cycle_from")


def subjects():
    """(name, document, properties)"""
    kills = {row["mutant"]: sorted(row["kills"]) for row in stored_tables.mutants("models")["rows"]}
    for name, document in mutation_score.mutants([]):
        if kills.get(name):
            yield f"mutant {name}", document, kills[name]
    for path in sorted((ROOT / "scenarios").rglob("findings/*.json")):
        for name, document in mutation_score.scenarios_in(path):
            expect = document.get("expect", {})
            properties = [one for one in expect.get("properties", ()) if ":" not in one]
            if expect.get("verdict") == "violated" and properties:
                folder = path.parent.parent.name
                yield f"finding {folder} {path.stem}" + ("" if name == path.stem else f" {name}"), document, properties


def fuzzed(document, properties, strategy, seed, schedules):
    """The scenario as one that fuzzes."""
    scenario = {key: value for key, value in document.items() if key not in NOT_KEPT}
    limits = {key: value for key, value in document.get("limits", {}).items() if key in ("steps", "time")}
    return {**scenario, "method": "fuzz", "strategy": strategy, "seed": seed, "check": properties,
            "limits": {**limits, "schedules": schedules}}


def counts_of(program, document, properties, strategy, seeds, schedules):
    """For each seed the schedules to the first violation; None: none in so many."""
    with tempfile.TemporaryDirectory() as scratch:
        for seed in range(1, seeds + 1):
            path = pathlib.Path(scratch) / f"{seed:03}.json"
            path.write_text(json.dumps(fuzzed(document, properties, strategy, seed, schedules)))
        result = subprocess.run([program, "run", scratch, "--format", "json", "--jobs", "1"], cwd=ROOT, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if result.returncode not in (0, 1, 2):
        raise RuntimeError(f"exit code {result.returncode}: {result.stderr.strip()}")
    files = json.loads(result.stdout)["files"]
    if len(files) != seeds:
        raise RuntimeError(f"{len(files)} results, not {seeds}: {result.stderr.strip()}")
    return [one["schedules"] if one["verdict"] == "violated" else None for one in files]


def row_of(program, subject, strategies, seeds, schedules):
    name, document, properties = subject
    medians = {}
    found = {}
    for strategy in strategies:
        counts = counts_of(program, document, properties, strategy, seeds, schedules)
        medians[strategy] = table_of_strategies.median(counts, schedules)
        found[strategy] = sum(1 for count in counts if count is not None)
    return {"subject": name, "median": medians, "found": found}


def stored_with(rows, strategies, seeds, schedules):
    """The rows with what is stored of other strategies, measured in the same way; and all strategies."""
    try:
        stored = stored_tables.mutants(STORED)
    except FileNotFoundError:
        return rows, strategies
    known = {row["subject"]: row for row in stored["rows"]}
    is_alike = (stored["seeds"], stored["schedules"], sorted(known)) == (
        seeds, schedules, sorted(row["subject"] for row in rows))
    if not is_alike:
        return rows, strategies
    both = [{"subject": row["subject"],
             **{key: {**known[row["subject"]][key], **row[key]} for key in ("median", "found")}} for row in rows]
    return both, [*(one for one in stored["strategies"] if one not in strategies), *strategies]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build" / "release")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--schedules", type=int, default=10_000)
    parser.add_argument("--strategies", default=",".join(STRATEGIES))
    parser.add_argument("--only", default="")
    parser.add_argument("--store", action="store_true")
    arguments = parser.parse_args()
    if arguments.store and arguments.only:
        parser.error("--store goes with all subjects")
    strategies = arguments.strategies.split(",")
    rows = []
    for subject in subjects():
        if arguments.only not in subject[0]:
            continue
        try:
            rows.append(row_of(arguments.bin.resolve() / "lockkeeper", subject, strategies, arguments.seeds,
                               arguments.schedules))
        except RuntimeError as error:
            sys.exit(f"schedules_to_a_bug: {subject[0]}: {error}")
        print(json.dumps(rows[-1]), flush=True)
    for strategy in strategies:
        print(*table_of_strategies.cells_of(strategy, rows, arguments.seeds, arguments.schedules), sep=", ")
    if arguments.store:
        rows, strategies = stored_with(rows, strategies, arguments.seeds, arguments.schedules)
        stored_tables.write_mutants(STORED, {"seeds": arguments.seeds, "schedules": arguments.schedules,
                                             "strategies": strategies}, rows)


if __name__ == "__main__":
    main()
