#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles each program of a folder as the command says, runs it by the command, and compares with expected.json."""

import argparse
import json
import pathlib
import shlex
import subprocess
import sys


def run(*command):
    subprocess.run([str(one) for one in command], check=True)


def compiled_part(source, to, options, flags):
    run(options.compiler, "-std=c++20", *flags, "-c", source, "-o", to)
    return to


def library(name, options):
    """A library beside the program, compiled without hooks."""
    made = options.work / f"lib{name}.so"
    run(options.compiler, "-std=c++20", "-shared", "-fPIC", options.folder / "parts" / f"{name}.cpp", "-o", made)
    return [str(made), f"-Wl,-rpath,{options.work}"]


def compiled(name, expected, options, flags):
    """The program of this example."""
    options.work.mkdir(parents=True, exist_ok=True)
    program = options.work / name
    how = ["-O1", "-I.", "-Ivalidate/threads/include", *expected.get("compile_instead", flags["compile"])]
    parts = [compiled_part(options.folder / f"{name}.cpp", f"{program}.o", options, how)]
    for part, without_hooks in expected.get("parts", {}).items():
        parts.append(compiled_part(options.folder / "parts" / f"{part}.cpp", f"{program}_{part}.o", options,
                                   without_hooks))
    if "library" in expected:
        parts += library(expected["library"], options)
    run(options.compiler, *parts, *expected.get("link_instead", flags["link"]), *expected.get("link", []), "-o", program)
    if "strip" in expected:
        run("strip", *expected["strip"], program)
    return program


def replay_problem(case, shown, command):
    """A violation's own line shows the same run."""
    line = next((one for one in shown.splitlines() if one.startswith("replay: ")), "")
    replayed = shlex.split(line.removeprefix("replay: "))
    again = subprocess.run([command, *replayed[1:]], capture_output=True, text=True, timeout=120)
    steps = [text.split("\nexecutions ")[0] for text in (shown, again.stdout)]
    if again.returncode != 1 or steps[0] != steps[1]:
        yield f"{case}: {line} shows another run:\n{again.stdout}{again.stderr}\nin the place of\n{shown}"


def problems_of(case, expected, programs, options, flags):
    name, *arguments = case.split()
    if name not in programs:
        programs[name] = compiled(name, expected, options, flags)
    ran = subprocess.run([str(options.bin / "lockkeeper"), "threads", *arguments, "--", str(programs[name])],
                         capture_output=True, text=True, timeout=120)
    if ran.returncode != expected["exit"]:
        yield f"{case}: exit code {ran.returncode}, expected {expected['exit']}:\n{ran.stdout}{ran.stderr}"
    for text in expected["says"]:
        if text not in ran.stdout:
            yield f"{case}: does not say '{text}':\n{ran.stdout}{ran.stderr}"
    if ran.returncode == 1:
        yield from replay_problem(case, ran.stdout, str(options.bin / "lockkeeper"))


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
