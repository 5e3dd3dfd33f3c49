#!/usr/bin/env python3
"""Goes through the small scopes of a system and says what each violation takes.

  tools/sweep.py monglock_write                 the table of findings, as Markdown
  tools/sweep.py monglock_write --clients 2     only scopes of two clients
  tools/sweep.py monglock_write --variant repaired   fails when anything is found

A scope is a number of clients, a script and a set of circumstances: faults that may happen once,
clocks that differ, time-outs that differ. Every scope is explored completely. A finding is listed
where no smaller set of circumstances shows the same violation with as few clients.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from sweep_scopes import SYSTEMS  # noqa: E402


def explore(binary, scenario, directory, number, states_max):
    """The verdict's properties with their steps, or None when a limit ended the search."""
    path = os.path.join(directory, f"{number}.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(scenario, file)
    run = subprocess.run(
        [binary, "explore", path, "--keep-going", "--format", "json", "--jobs", "1",
         "--interleavings", "off", "--out", directory,
         "--max-states", str(states_max)],
        capture_output=True, text=True, check=False)
    os.remove(path)
    if run.returncode not in (0, 1, 2):
        raise RuntimeError(f"{run.stderr.strip()} (exit code {run.returncode}): {scenario}")
    result = json.loads(run.stdout)
    found = {}
    for violation in result["violations"]:  # those of a property by length
        found.setdefault(violation["property"] or "nobody can go on", violation["steps"])
    return found, result["states"], result["complete"]


def smallest(findings):
    """Of (clients, circumstances, steps, scope) those that no other one makes superfluous."""
    kept = []
    for finding in sorted(findings, key=lambda f: (f[0], len(f[1]), f[2], sorted(f[1]))):
        if not any(other[0] <= finding[0] and other[1] <= finding[1] for other in kept):
            kept.append(finding)
    return kept


def sweep(binary, scopes, states_max, jobs):
    """The findings by violation, as `smallest` takes them, the states, and what was cut off."""
    findings = {}
    states = 0
    incomplete = []
    with tempfile.TemporaryDirectory() as directory, ThreadPoolExecutor(jobs) as pool:
        results = pool.map(lambda job: explore(binary, job[1].scenario, directory, job[0],
                                               states_max), enumerate(scopes))
        for scope, (found, count, complete) in zip(scopes, results):
            states += count
            if not complete:
                incomplete.append(scope)
            for name, steps in found.items():
                findings.setdefault(name, []).append(
                    (scope.clients, scope.circumstances, steps, scope.script))
    return findings, states, incomplete


def table(findings):
    lines = ["| violation | clients | circumstances | script | steps |", "|---|---|---|---|---|"]
    for name in sorted(findings):
        for clients, circumstances, steps, script in smallest(findings[name]):
            lines.append(f"| {name} | {clients} | {', '.join(sorted(circumstances)) or 'none'} "
                         f"| {script} | {steps} |")
    return lines


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    arguments.add_argument("system", choices=sorted(SYSTEMS))
    arguments.add_argument("--variant", default="faithful")
    arguments.add_argument("--clients", type=int, nargs="*")
    arguments.add_argument("--bin", default="build/release")
    arguments.add_argument("--max-states", type=int, default=20_000_000,
                           help="of one scope; larger ones are named as not complete")
    arguments.add_argument("--jobs", type=int, default=os.cpu_count())
    options = arguments.parse_args()
    binary = os.path.join(options.bin, "lockkeeper")

    scopes = [scope for scope in SYSTEMS[options.system](options.variant)
              if not options.clients or scope.clients in options.clients]
    findings, states, incomplete = sweep(binary, scopes, options.max_states, options.jobs)
    print("\n".join(table(findings)))
    print()
    print(f"{len(scopes):,} scopes, {states:,} states, {len(incomplete)} not complete.")
    for scope in incomplete:
        print(f"not complete: {scope.clients} clients, {scope.script}, "
              f"{', '.join(sorted(scope.circumstances)) or 'no circumstances'}")
    if options.variant != "faithful" and (findings or incomplete):
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
