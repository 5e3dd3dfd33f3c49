#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""SPIN, Rumur and the explorer count the same states and transitions, in scopes that take seconds.

Of systems with clocks, SPIN and the explorer, and they find violations of the same shortest length.

Usage: counts_test.py LOCKKEEPER. Exit codes: 0 they agree, 1 they do not, 77 a tool is missing (the
others have been compared).
"""

import os
import shutil
import sys

sys.dont_write_bytecode = True

import clock_scope
import compare
import scope
import tools

SCOPES = ["bench/compare/scopes/counters_2x2.json", "bench/compare/scopes/counters_3x2.json",
          "bench/compare/scopes/manager_2x1.json", "bench/compare/scopes/manager_3x1.json",
          "bench/compare/scopes/manager_3x2.json", "scenarios/canal/small_scopes/3_callers_1x2.json",
          "scenarios/canal/small_scopes/3_callers_seeing_1_2_2.json"]
SKIPPED = 77


def counts(result):
    return f"{result['states']:,} states, {result['transitions']:,} transitions"


def small_scopes_with_clocks():
    """Those that compare.py does not measure; every day each third, and those with a violation."""
    step = 3 if os.environ.get("CI") else 1
    measured = {names for part in compare.CLOCKS.values() for names in part}
    for system in clock_scope.MODELS:
        scopes = clock_scope.scopes_of(compare.SCOPES / f"{system}.json")
        for number, (name, one) in enumerate(scopes.items()):
            if (system, name) not in measured and (number % step == 0 or one.checks):
                yield one


def compare_clocks(lockkeeper, spin):
    """How often the two do not agree."""
    disagreements = 0
    for one in small_scopes_with_clocks():
        own, theirs = lockkeeper.explore(one, False), spin.explore(one, False)
        agrees = counts(own) == counts(theirs)
        said = counts(own) if agrees else f"{counts(own)}, spin {counts(theirs)}"
        disagreements += not agrees
        print(f"{'ok      ' if agrees else 'DIFFERS '} {one.label}: {said}")
        if one.checks:
            own, theirs = lockkeeper.shortest(one), spin.shortest(one)
            disagreements += own != theirs
            print(f"{'ok      ' if own == theirs else 'DIFFERS '} {one.label}: "
                  f"steps of the shortest violation {own or 'none'}, spin {theirs or 'none'}")
    return disagreements


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 64
    lockkeeper = tools.Lockkeeper(sys.argv[1])
    # Compiling takes longer than searching here: not optimised, and by clang, which takes half of gcc's time.
    compiler = shutil.which("clang") or "gcc"
    others = [tools.Spin("-O0 -DSAFETY -DNOREDUCE", compiler),
              tools.Rumur("-O0", reduction="exhaustive", compiler=compiler)]
    missing = [reason for tool in others if (reason := tool.missing())]
    others = [tool for tool in others if not tool.missing()]
    disagreements = 0
    for path in SCOPES if others else []:
        each_once = scope.Scope(tools.ROOT / path)
        for symmetry in (False, True):
            own = counts(lockkeeper.explore(each_once, symmetry))
            for tool in others:
                if symmetry and isinstance(tool, tools.Spin):
                    continue
                theirs = counts(tool.explore(each_once, symmetry))
                agrees = theirs == own
                disagreements += not agrees
                print(f"{'ok      ' if agrees else 'DIFFERS '} {each_once.name}"
                      f"{' up to symmetry' if symmetry else ''}: lockkeeper {own}"
                      f"{'' if agrees else ', ' + tool.name + ' ' + theirs} ({tool.name})")
    for tool in others:
        if isinstance(tool, tools.Spin):
            disagreements += compare_clocks(lockkeeper, tool)
    for reason in missing:
        print(f"SKIP {reason}: not compared with it")
    return 1 if disagreements else SKIPPED if missing else 0


if __name__ == "__main__":
    sys.exit(main())
