#!/usr/bin/env python3
"""The mutation score of the shipped checks: lock-specific mutants, and which check kills which.

    tools/mutation_score.py [--bin DIR] [--schedules N] [--write] [--least PERCENT] [FAMILY ...]

Mutants of the models are what is shipped to be wrong in one way: the planted bugs
(scenarios/**/broken) and each repair left out (scenarios/**/repairs). Each runs in its own scope,
with all properties, beside the sound lock in the same scope; a property that the mutant breaks and
the sound lock keeps kills it. Two checks: `explore` (all states) and `fuzz` (random schedules, how
many until the first of the properties). FAMILY: only those folders of scenarios/.

What no property names is killed by the answers
that its scenario pins. Exit code 1 when the score is below --least (95). --write: into
docs/reference/mutants.md.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "reference" / "mutants.md"
BEGIN, END = "<!-- mutants -->", "<!-- end of mutants -->"
SECONDS = 60  # of one exploration


def mutants(families):
    """(scenario file, document), each mutant once: the first of its files."""
    seen = set()
    for path in sorted((ROOT / "scenarios").rglob("*.json")):
        if path.parent.name not in {"broken", "repairs"}:
            continue
        if families and not set(families) & set(path.relative_to(ROOT).parts):
            continue
        document = json.loads(path.read_text())
        repairs = document.get("parameters", {}).get("repairs")
        # "with_...": a repair that is enough by itself, which is no mutant.
        if path.parent.name == "repairs" and (repairs is None or path.stem.startswith("with_")):
            continue
        identity = (document["system"], document["variant"], json.dumps(repairs, sort_keys=True))
        if identity not in seen:
            seen.add(identity)
            yield path, document


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
    row = {"kills": kept, "states": of_mutant["states"], "complete": of_mutant["complete"],
           "sound_complete": of_sound["complete"], "schedules": None, "results": False}
    if not kept:
        # What no property names: the answers that the scenario pins.
        row["results"] = command.meets(document) and not command.meets(sound(document))
    for name in sorted(kept, key=kept.get):
        found = command("fuzz", document, "--check", name, "--schedules", str(schedules),
                        "--seed", "1")
        if name in broken_properties(found):
            count = found["files"][0]["schedules"]
            row["schedules"] = min(count, row["schedules"] or count)
    return row


def name_of(path, document):
    if path.parent.name == "broken":
        return f"{document['system']}/{document['variant']}"
    return f"{document['system']} {path.stem.replace('_', ' ')}"


def table(rows, schedules):
    lines = ["| mutant | killed by (steps of the shortest execution) | states | random schedules |",
             "|---|---|---|---|"]
    for name, row in rows:
        kills = ", ".join(f"{prop} ({steps})" for prop, steps in
                          sorted(row["kills"].items(), key=lambda item: item[1]))
        states = f"{row['states']:,}" + ("" if row["complete"] else " (not complete)")
        kills = kills or ("the answers that the scenario pins" if row["results"] else "")
        lines.append(f"| {name} | {kills or '**survives**'} | {states} | "
                     f"{row['schedules'] or f'none in {schedules:,}'} |")
    return "\n".join(lines)


def summary(rows, schedules):
    by_explore = sum(1 for _, row in rows if row["kills"])
    by_results = sum(1 for _, row in rows if row["results"])
    by_fuzz = sum(1 for _, row in rows if row["schedules"])
    unsure = [name for name, row in rows if row["kills"] and not row["sound_complete"]]
    share = 100 * (by_explore + by_results) / len(rows)
    text = (f"{len(rows)} mutants, {by_explore + by_results} killed ({share:.1f} %): "
            f"{by_explore} by explore, {by_results} by pinned answers only; "
            f"fuzz with {schedules:,} schedules kills {by_fuzz} "
            f"({100 * by_fuzz / len(rows):.1f} %). ")
    survivors = [name for name, row in rows if not row["kills"] and not row["results"]]
    text += f"Survivors: {', '.join(survivors) or 'none'}."
    if unsure:
        text += f" The sound lock was not searched completely for: {', '.join(unsure)}."
    return share, text


def write_page(text):
    page = PAGE.read_text()
    before, rest = page.split(BEGIN, 1)
    PAGE.write_text(before + BEGIN + "\n" + text + "\n" + END + rest.split(END, 1)[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build" / "release")
    parser.add_argument("--schedules", type=int, default=10_000)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--least", type=float, default=95)
    parser.add_argument("families", nargs="*")
    arguments = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        command = Command(arguments.bin.resolve(), scratch)
        for path, document in mutants(arguments.families):
            try:
                row = judge(command, document, arguments.schedules)
            except RuntimeError as error:
                sys.exit(f"mutation_score: {path.relative_to(ROOT)}: {error}")
            rows.append((name_of(path, document), row))
            print(f"{rows[-1][0]}: {row}", file=sys.stderr, flush=True)
    if not rows:
        sys.exit("mutation_score: no mutant has such a path")
    share, text = summary(rows, arguments.schedules)
    print(table(rows, arguments.schedules) + "\n\n" + text)
    if arguments.write:
        write_page(text + "\n\n" + table(rows, arguments.schedules))
    return 0 if share >= arguments.least else 1


if __name__ == "__main__":
    sys.exit(main())
