#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the runs of docs/pictures/*.svg: docs/pictures/pictures.csv says by which command.

usage: tools/site/pictures.py [--bin DIR] [--check]

--bin: where `lockkeeper` is (default build/release). --check draws into a directory of its own, and
fails where a picture is another. Exit codes: 0 all as the command draws them, 1 a picture differs.
"""

import argparse
import csv
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

from written_files import write_or_check  # noqa: E402

PICTURES = ROOT / "docs" / "pictures"


def rows():
    with (PICTURES / "pictures.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def drawn(binary, row, directory):
    """The picture's text. A run that violates ends with 1, and is what is drawn."""
    file = pathlib.Path(directory) / f"{row['picture']}.svg"
    command = [binary, row["verb"], *row["arguments"].split(), "-q", "--report", str(file)]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if ran.returncode not in (0, 1):
        sys.exit(f"pictures: {' '.join(map(str, command))}: exit {ran.returncode}\n{ran.stderr}")
    return file.read_text(encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    command = options.bin.resolve() / "lockkeeper"
    with tempfile.TemporaryDirectory() as directory:
        texts = [(PICTURES / f"{row['picture']}.svg", drawn(command, row, directory)) for row in rows()]
    return write_or_check(texts, options.check, "the command draws them", "tools/site/pictures.py")


if __name__ == "__main__":
    sys.exit(main())
