#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The mutation score of the shipped checks: lock-specific mutants, and which check kills which.

    tools/mutation_score.py [--bin DIR] [--schedules N] [--write] [--least PERCENT] [FAMILY ...]

Mutants of the models are what is shipped to be wrong in one way: the planted bugs
(scenarios/**/broken) and each repair left out (scenarios/**/repairs). Each runs in its own scope,
with all properties, beside the sound lock in the same scope; a property that the mutant breaks and
the sound lock keeps kills it. Two checks: `explore` (all states) and `fuzz` (random schedules, how
many until the first of the properties). FAMILY: only those folders of scenarios/.

What no property names is killed by the answers that its scenario pins. --store: into
docs/mutation/models.json, from which tools/fill_tables.py fills
docs/reference/mutants.md. Exit code 1 when the score is below --least (95).
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import stored_tables
import table_of_mutants

ROOT = pathlib.Path(__file__).resolve().parents[1]
SECONDS = 60  # of one exploration
MERGED_IN_CASES = ("parameters", "faults", "limits")


def scenarios_in(path):
    """(name, document) of a file, or of each of its cases (docs/reference/scripts.md, Cases)."""
    document = json.loads(path.read_text())
    cases = document.pop("cases", None)
    if cases is None:
        yield path.stem, document
    for case in cases or ():
        laid_over = dict(document)
        for key, value in case.items():
            is_merged = key in MERGED_IN_CASES and isinstance(document.get(key), dict)
            laid_over[key] = {**document[key], **value} if is_merged else value
        yield laid_over.pop("name"), laid_over


def name_of(name, document):
    if document["system"].endswith("_broken"):
        return f"{document['system']}/{document['variant']}"
    return f"{document['system']} {name.replace('_', ' ')}"


def mutants(families):
    """(name, document), each mutant once: the first of its scenarios."""
    seen = set()
    for path in sorted((ROOT / "scenarios").rglob("*.json")):
        if path.parent.name not in {"broken", "repairs", "findings"}:
            continue
        if families and not set(families) & set(path.relative_to(ROOT).parts):
            continue
        for name, document in scenarios_in(path):
            repairs = document.get("parameters", {}).get("repairs")
            # A repair left out is called so, in repairs/ or beside the finding that it repairs.
            leaves_out = repairs is not None and "without_" in name
            if path.parent.name != "broken" and not leaves_out:
                continue
            identity = (document["system"], document["variant"],
                        json.dumps(repairs, sort_keys=True))
            if identity not in seen:
                seen.add(identity)
                yield name_of(name, document), document


def sound(document):
    """The same scope with the lock that the mutant was made from."""
    document = json.loads(json.dumps(document))
    document.get("parameters", {}).pop("repairs", None)
    system = document["system"]
    if system == "transactional_broken":
        pooled = document["variant"] == "unlocks_by_key"
        document["system"] = "session_lock_pool" if pooled else "transactional_pg"
        document["variant"] = "repaired"
    elif system.endswith("_broken"):
        document["system"] = system[: -len("_broken")]
        unrepaired = document["system"] in {"canal", "try_retry"}
        document["variant"] = "faithful" if unrepaired else "repaired"
    return document


class Command:
    def __init__(self, directory, scratch):
        self.program = directory / "lockkeeper"
        self.scratch = pathlib.Path(scratch)

    def meets(self, document):
        """Whether the scenario's own expectation is met."""
        path = self.scratch / "scenario.json"
        path.write_text(json.dumps(document))
        return subprocess.run([self.program, "run", path], cwd=ROOT, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, check=False).returncode == 0

    def __call__(self, verb, document, *flags):
        scenario = dict(document)
        # What a run is asked is said on the command line.
        for key in ("expect", "reach", "find", "schedule", "order", "strategy", "stop_at_first"):
            scenario.pop(key, None)
        scenario["method"] = "explore"
        path = self.scratch / "scenario.json"
        path.write_text(json.dumps(scenario))
        result = subprocess.run(
            [self.program, verb, path, "--format", "json", *flags], cwd=ROOT, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        if result.returncode not in (0, 1, 2):
            raise RuntimeError(f"{verb}: exit code {result.returncode}: {result.stderr.strip()}")
        return json.loads(result.stdout)


def broken_properties(report):
    shortest = {}
    for violation in report["violations"]:  # those of a property by length
        shortest.setdefault(violation["property"], violation["steps"])
    return shortest


def judge(command, document, schedules):
    limit = ("--check", "all", "--keep-going", "--time-limit", f"{SECONDS}s")
    of_mutant = command("explore", document, *limit)
    of_sound = command("explore", sound(document), *limit)
    kept = {name: steps for name, steps in broken_properties(of_mutant).items()
            if name not in broken_properties(of_sound)}
    kept = dict(sorted(kept.items(), key=lambda item: item[1]))
    row = {"kills": kept, "states": of_mutant["states"], "complete": of_mutant["complete"],
           "sound_complete": of_sound["complete"], "schedules": None, "pinned_answers": False}
    if not kept:
        # What no property names: the answers that the scenario pins.
        row["pinned_answers"] = command.meets(document) and not command.meets(sound(document))
    for name in sorted(kept, key=kept.get):
        found = command("fuzz", document, "--check", name, "--schedules", str(schedules),
                        "--seed", "1")
        if name in broken_properties(found):
            count = found["files"][0]["schedules"]
            row["schedules"] = min(count, row["schedules"] or count)
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build" / "release")
    parser.add_argument("--schedules", type=int, default=10_000)
    parser.add_argument("--store", action="store_true")
    parser.add_argument("--least", type=float, default=95)
    parser.add_argument("families", nargs="*")
    arguments = parser.parse_args()
    if arguments.store and arguments.families:
        parser.error("--store goes with all mutants, not with those of a family")
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        command = Command(arguments.bin.resolve(), scratch)
        for name, document in mutants(arguments.families):
            try:
                row = judge(command, document, arguments.schedules)
            except RuntimeError as error:
                sys.exit(f"mutation_score: {name}: {error}")
            rows.append({"mutant": name, **row})
            print(json.dumps(rows[-1]), flush=True)
    if not rows:
        sys.exit("mutation_score: no mutant has such a path")
    print(table_of_mutants.summary(rows, arguments.schedules))
    if arguments.store:
        stored_tables.write_mutants("models", {"schedules": arguments.schedules}, rows)
    killed = sum(map(table_of_mutants.is_killed, rows))
    return 0 if 100 * killed >= arguments.least * len(rows) else 1


if __name__ == "__main__":
    sys.exit(main())
