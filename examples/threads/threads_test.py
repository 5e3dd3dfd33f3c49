#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles each program of a folder as the command says, runs it by the command, and compares with expected.json."""

import argparse
import json
import pathlib
import shlex
import subprocess
import sys


def compiled(name, options, flags):
    """The program of this example."""
    options.work.mkdir(parents=True, exist_ok=True)
    program = options.work / name
    part = f"{program}.o"
    subprocess.run([options.compiler, "-std=c++20", "-O1", *flags["compile"], "-c", str(options.folder / f"{name}.cpp"),
                    "-o", part], check=True)
    subprocess.run([options.compiler, part, *flags["link"], "-o", str(program)], check=True)
    return program


def problems_of(case, expected, programs, options, flags):
    name, *arguments = case.split()
    if name not in programs:
        programs[name] = compiled(name, options, flags)
    ran = subprocess.run([str(options.bin / "lockkeeper"), "threads", *arguments, "--", str(programs[name])],
                         capture_output=True, text=True, timeout=120)
    if ran.returncode != expected["exit"]:
        yield f"{case}: exit code {ran.returncode}, expected {expected['exit']}:\n{ran.stdout}{ran.stderr}"
    for text in expected["says"]:
        if text not in ran.stdout:
            yield f"{case}: does not say '{text}':\n{ran.stdout}{ran.stderr}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    options = parser.parse_args()
    asked = subprocess.run([str(options.bin / "lockkeeper"), "threads", "--flags"], check=True,
                           capture_output=True, text=True)
    flags = {what: shlex.split(said) for what, said in (line.split(": ", 1) for line in asked.stdout.splitlines())}
    table = json.loads((options.folder / "expected.json").read_text(encoding="utf-8"))
    examples = {path.stem for path in options.folder.glob("*.cpp")}
    problems = [f"{name}: not in expected.json" for name in examples - {case.split()[0] for case in table}]
    programs = {}
    for case, expected in table.items():
        problems += problems_of(case, expected, programs, options, flags)
    print("\n".join(problems) or f"{len(table)} verdicts as expected")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
