#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""clang-tidy over the sources, changed ones first, within a time budget.

What the budget does not reach is counted and named as unchecked; the order of the unchanged files
differs from commit to commit, so that they all have their turn.
Environment: LOCKKEEPER_TIDY_SECONDS (default 20; 0 means no limit).
"""

import concurrent.futures
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "tidy"  # configured, never built


def git(*arguments):
    result = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True)
    return result.stdout.split("\n") if result.returncode == 0 else []


def sources():
    """The translation units of the repository, in the order in which to look at them."""
    commands = json.loads((BUILD / "compile_commands.json").read_text())
    units = {os.path.relpath(entry["file"], ROOT) for entry in commands}
    units = {unit for unit in units if not unit.startswith(("build/", ".."))}
    changed = set(git("diff", "--name-only", "HEAD"))
    changed |= set(git("ls-files", "--others", "--exclude-standard"))
    changed |= set(git("diff", "--name-only", "HEAD~1", "HEAD"))
    commit = "".join(git("rev-parse", "HEAD"))

    def rank(unit):
        turn = hashlib.sha256((commit + unit).encode()).hexdigest()
        return (unit not in changed, unit.endswith("_test.cpp"), turn)

    return sorted(units, key=rank)


def tidy(unit, deadline):
    """None when there was no time left, else (unit, exit code, output)."""
    left = deadline - time.monotonic()
    if left <= 0:
        return None
    try:
        result = subprocess.run(
            ["clang-tidy", "--quiet", "-p", str(BUILD), unit], cwd=ROOT, timeout=left,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    except subprocess.TimeoutExpired:
        return None
    return unit, result.returncode, result.stdout or (result.returncode and result.stderr) or ""


def main():
    # One command a file, and no headers that would have to be compiled first.
    subprocess.run(["cmake", "--preset", "quick", "-B", str(BUILD), "-D", "LOCKKEEPER_DOC_TESTS=OFF",
                    "-D", "CMAKE_DISABLE_PRECOMPILE_HEADERS=ON"], cwd=ROOT, check=True,
                   stdout=subprocess.DEVNULL)
    budget = float(os.environ.get("LOCKKEEPER_TIDY_SECONDS", "20"))
    deadline = time.monotonic() + (budget if budget > 0 else 24 * 3600)
    units = sources()
    failed = unchecked = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for outcome in pool.map(lambda unit: tidy(unit, deadline), units):
            if outcome is None:
                unchecked += 1
            elif outcome[1] != 0:
                failed += 1
                print(outcome[2], flush=True)
    if unchecked:
        print(f"clang-tidy: {unchecked} of {len(units)} files unchecked, the budget of"
              f" {budget:.0f} s is spent", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
