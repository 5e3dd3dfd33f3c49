#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the runs of docs/pictures/*.svg: docs/pictures/pictures.csv says by which command.

usage: tools/site/pictures.py [--bin DIR] [--check]

--bin: where `lockkeeper` is (default build/release). --check draws into a directory of its own, and
fails where a picture is another. Exit codes: 0 all as the command draws them, 1 a picture differs, 77
this build of the command draws no pictures of runs.
"""

import argparse
import csv
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PICTURES = ROOT / "docs" / "pictures"
EXIT_SKIPPED = 77


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
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    if row["arguments"].split()[0] not in text:
        print(f"pictures: {binary} draws rates only, no runs")
        sys.exit(EXIT_SKIPPED)
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    differing = []
    with tempfile.TemporaryDirectory() as directory:
        for row in rows():
            text = drawn(options.bin.resolve() / "lockkeeper", row, directory)
            picture = PICTURES / f"{row['picture']}.svg"
            if not picture.exists() or picture.read_text(encoding="utf-8") != text:
                differing.append(picture.name)
                if not options.check:
                    picture.write_text(text, encoding="utf-8")
    if differing and options.check:
        print(f"{', '.join(differing)}: not as the command draws them; run tools/site/pictures.py")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
