#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the commands of the table in README.md and compares each verdict with the table's.

    real_locks_test.py DIRECTORY_OF_LOCKKEEPER [ADAPTER]

With an adapter only its rows. Exit code 77, which ctest shows as skipped: a library is not
installed, and all others are as the table says. Where the variable CI is set that fails.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

FOLDER = pathlib.Path(__file__).resolve().parent
SECONDS_MAX = 120
EXIT_SKIPPED = 77
EXIT_CODES = {"passed": 0, "violated": 1}


def rows():
    """(library, version, verdict, command) of each row of the table."""
    found = []
    for line in (FOLDER / "README.md").read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("|") and len(cells) == 5 and cells[4].startswith('`"'):
            found.append((cells[0], cells[1], cells[2], cells[4].strip("`")))
    return found


def arguments_of(command):
    """`"ADAPTER" FLAG...`: what follows `lockkeeper validate --program`, in this folder."""
    adapter, rest = re.fullmatch(r'"([^"]+)" (.*)', command).groups()
    return [adapter, *rest.split()]


def judge(binary, command):
    """The exit code, and what was printed."""
    language = arguments_of(command)[0].split()[0]
    if shutil.which(language) is None:
        return None, f"not installed: {language}"
    ran = subprocess.run([binary, "validate", "--program", *arguments_of(command)], cwd=FOLDER,
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, text=True, timeout=SECONDS_MAX)
    return ran.returncode, ran.stdout


def main():
    binary = os.path.join(os.path.abspath(sys.argv[1]), "lockkeeper")
    count = {"passed": 0, "failed": 0, "skipped": 0}
    adapter = sys.argv[2] if len(sys.argv) > 2 else ""
    for library, version, expected, command in rows():
        if adapter and adapter not in arguments_of(command)[0].split():
            continue
        started = time.monotonic()
        code, text = judge(binary, command)
        seconds = f"{time.monotonic() - started:5.1f} s  {library} {version}: {command}"
        missing = re.search(r"not installed: .*", text)
        if code == EXIT_CODES[expected.split()[0].rstrip(":")] and f"verdict: {expected}" in text:
            count["passed"] += 1
            print(f"ok       {seconds}")
        elif missing and not os.environ.get("CI"):
            count["skipped"] += 1
            print(f"skipped  {seconds}\n    {missing.group()}")
        else:
            count["failed"] += 1
            print(f"FAILED   {seconds}\n    expected \"verdict: {expected}\", exit code {code}:")
            print("".join(f"    {line}\n" for line in text.splitlines()))
    print(", ".join(f"{number} {word}" for word, number in count.items()))
    if count["failed"] or not sum(count.values()):
        return 1
    return EXIT_SKIPPED if count["skipped"] else 0


if __name__ == "__main__":
    sys.exit(main())
