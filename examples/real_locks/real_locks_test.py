#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the commands of the table in README.md and compares each verdict with the table's.

    real_locks_test.py DIRECTORY_OF_LOCKKEEPER [ADAPTER] [--folder examples/wire/libraries]

With an adapter only its rows. The table of another folder has its door in the command: `--wire redis
--client "ADAPTER"`; every day only the first row of each adapter is run, all where the variable
LOCKKEEPER_LONG is set. Exit code 77, which ctest shows as skipped: a library is not
installed, and all others are as the table says. Where the variable CI is set that fails.
"""

import argparse
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import time

OWN_FOLDER = pathlib.Path(__file__).resolve().parent
FOLDER = OWN_FOLDER
SECONDS_MAX = 120
EXIT_SKIPPED = 77
EXIT_CODES = {"passed": 0, "violated": 1}


def rows():
    """(library, version, verdict, command) of each row of the table."""
    found = []
    for line in (FOLDER / "README.md").read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("|") and len(cells) >= 5 and re.match(r'`("|--)', cells[-1]):
            found.append((cells[0], cells[1], cells[2], cells[-1].strip("`")))
    return found


def arguments_of(command):
    """`"ADAPTER" FLAG...` is what follows `lockkeeper validate --program`, in this folder."""
    words = shlex.split(command)
    return words if words[0].startswith("--") else ["--program", *words]


def adapter_of(command):
    """Its words: ["node", "lockfile.js"]."""
    words = arguments_of(command)
    return words[words.index("--client" if "--client" in words else "--program") + 1].split()


def chosen(all_rows, adapter):
    """Those of the adapter, in another folder every day only its first."""
    own = [row for row in all_rows if not adapter or adapter in adapter_of(row[3])]
    everything = FOLDER == OWN_FOLDER or not adapter or os.environ.get("LOCKKEEPER_LONG")
    return own if everything else own[:1]


def judge(binary, command):
    """The exit code, and what was printed."""
    language = adapter_of(command)[0]
    if shutil.which(language) is None:
        return None, f"not installed: {language}"
    ran = subprocess.run([binary, "validate", *arguments_of(command)], cwd=FOLDER,
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, text=True, timeout=SECONDS_MAX)
    return ran.returncode, ran.stdout


def main():
    global FOLDER
    parser = argparse.ArgumentParser()
    parser.add_argument("directory")
    parser.add_argument("adapter", nargs="?", default="")
    parser.add_argument("--folder", type=pathlib.Path, default=OWN_FOLDER)
    chosen_by_user = parser.parse_args()
    FOLDER = chosen_by_user.folder.resolve()
    binary = os.path.join(os.path.abspath(chosen_by_user.directory), "lockkeeper")
    count = {"passed": 0, "failed": 0, "skipped": 0}
    for library, version, expected, command in chosen(rows(), chosen_by_user.adapter):
        started = time.monotonic()
        code, text = judge(binary, command)
        seconds = f"{time.monotonic() - started:5.1f} s  {library} {version}: {command}"
        missing = re.search(r"not installed: .*", text)
        if code == EXIT_CODES[expected.split()[0].rstrip(":")] and f"verdict: {expected}" in text:
            count["passed"] += 1
            print(f"ok       {seconds}")
        elif missing and (FOLDER != OWN_FOLDER or not os.environ.get("CI")):
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
