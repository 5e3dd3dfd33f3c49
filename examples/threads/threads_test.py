#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles each program of the folders as the command says, runs it by the command, and compares with expected.json.

A case is a program, flags, and behind "--" the program's arguments. What most programs include is compiled once, but
for those that users are shown (examples/threads): these include what they need themselves. Each program is compiled
once, whatever it is run with. With --replays each violation is shown so often again; with --tsan the programs run
alone, under ThreadSanitizer's own runtime, which agrees on races."""

import argparse
import concurrent.futures
import json
import os
import pathlib
import shlex
import signal
import subprocess
import sys


HEADERS = ["atomic", "cassert", "condition_variable", "mutex", "string", "thread"]
SHOWN_TO_USERS = "examples/threads"
RUNS = 20  # under ThreadSanitizer, until it finds a race
# Line numbers are all that is read of what -g writes.
OPTIONS = ["-O1", "-g1", "-I.", "-Ivalidate/threads/include"]


def run(*command):
    subprocess.run([str(one) for one in command], check=True)


def compile_headers(options, flags):
    """What is added to a program's flags, so that it finds the headers compiled."""
    name = options.work / "headers.hpp"
    name.write_text("".join(f"#include <{header}>\n" for header in HEADERS), encoding="utf-8")
    made = name.with_suffix(".hpp.pch" if "clang" in options.compiler else ".hpp.gch")
    run(options.compiler, "-std=c++20", *flags, "-x", "c++-header", name, "-o", made)
    return ["-include-pch", made] if "clang" in options.compiler else ["-include", name]


class Folder:
    """The programs of a folder, and what they are expected to come to."""

    def __init__(self, path, options, flags, headers):
        self.path, self.options, self.flags = path, options, flags
        self.headers = [] if path.as_posix().endswith(SHOWN_TO_USERS) else headers
        self.work = options.work / path.name
        self.work.mkdir(parents=True, exist_ok=True)
        self.table = json.loads((path / "expected.json").read_text(encoding="utf-8"))

    def programs(self):
        """The cases of each program."""
        programs = {}
        for case in self.table:
            programs.setdefault(case.split()[0], []).append(case)
        return programs

    def missing(self):
        names = {path.stem for path in self.path.glob("*.cpp")}
        return [f"{self.path}/{name}: not in expected.json" for name in names - set(self.programs())]

    def compiled_part(self, source, to, how):
        run(self.options.compiler, "-std=c++20", *how, "-c", source, "-o", to)
        return to

    def plain_library(self, name):
        """A library beside the program, compiled without hooks."""
        made = self.work / f"lib{name}.so"
        run(self.options.compiler, "-std=c++20", "-shared", "-fPIC", self.path / "parts" / f"{name}.cpp", "-o", made)
        return [str(made), f"-Wl,-rpath,{self.work}"]

    def compiled(self, name):
        expected = self.table[self.programs()[name][0]]
        program = self.work / name
        how = [*expected.get("compile_instead", self.flags["compile"]), *OPTIONS]
        own = ["-std=" + expected["std"]] if "std" in expected else []
        headers = [] if own or "compile_instead" in expected else self.headers
        parts = [self.compiled_part(self.path / f"{name}.cpp", f"{program}.o", [*how, *headers, *own])]
        for part, without_hooks in expected.get("parts", {}).items():
            parts.append(self.compiled_part(self.path / "parts" / f"{part}.cpp", f"{program}_{part}.o", without_hooks))
        if "library" in expected:
            parts += self.plain_library(expected["library"])
        link = [*expected.get("link_instead", self.flags["link"]), *expected.get("link", [])]
        run(self.options.compiler, *parts, *link, "-o", program)
        if "strip" in expected:
            run("strip", *expected["strip"], program)
        return program

    def problems_of(self, name):
        if self.options.tsan:
            return list(self.problems_with_tsan(name))
        program = self.compiled(name)
        return [problem for case in self.programs()[name] for problem in self.problems_of_case(case, program)]

    def problems_of_case(self, case, program):
        expected = self.table[case]
        command = str(self.options.bin / "lockkeeper")
        before, _, arguments = case.partition(" -- ")
        flags = ["threads", *before.split()[1:]]
        words = [command, *flags, "--", str(program), *arguments.split()]
        ran = (interrupted(words, program, expected["signal"]) if "signal" in expected else
               subprocess.run(words, capture_output=True, text=True, timeout=120))
        if ran.returncode != expected["exit"]:
            yield f"{case}: exit code {ran.returncode}, expected {expected['exit']}:\n{ran.stdout}{ran.stderr}"
        for text in expected["says"]:
            if text not in ran.stdout:
                yield f"{case}: does not say '{text}':\n{ran.stdout}{ran.stderr}"
        if ran.returncode == 1:
            yield from replay_problem(case, ran.stdout, command, self.options.replays)
        if "rule" in expected:
            yield from document_problem(case, expected["rule"], [command, *flags], program)

    def problems_with_tsan(self, name):
        """A program that passes has no race in any run; one whose violation is a race shows it."""
        expected = self.table[self.programs()[name][0]]
        races = any("data race" in text for text in expected["says"])
        if expected["exit"] != 0 and not races:
            return
        program = self.work / f"{name}_tsan"
        marks = self.work / f"{name}_marks.cpp"  # nobody looks at them
        marks.write_text('extern "C" void lockkeeper_mark_threads(int, const void*, unsigned, unsigned) {}\n',
                         encoding="utf-8")
        run(self.options.compiler, "-std=c++20", "-fsanitize=thread", *OPTIONS, self.path / f"{name}.cpp", marks, "-o",
            program)
        for _ in range(RUNS):
            # Nothing else is at the addresses that ThreadSanitizer wants.
            ran = subprocess.run(["setarch", "-R", str(program)], capture_output=True, text=True, timeout=120)
            said = "ThreadSanitizer: data race" in ran.stderr
            if said or (ran.returncode != 0 and not races):
                break
        if said != races or (ran.returncode != 0 and not said):
            yield f"{name}: exit code {ran.returncode}, expected {'a' if races else 'no'} data race:\n{ran.stderr}"


def interrupted(words, program, name):
    """The signal comes as soon as the program is there, whether it takes the command's place or is its child."""
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        while program.resolve() not in [pathlib.Path(f"/proc/{one}/exe").resolve() for one in family(process.pid)]:
            assert process.poll() is None, words
        process.send_signal(signal.Signals[name])
        out, err = process.communicate(timeout=120)
        return subprocess.CompletedProcess(words, process.returncode, out, err)


def family(process):
    return [process, *pathlib.Path(f"/proc/{process}/task/{process}/children").read_text(encoding="utf-8").split()]


def replay_problem(case, shown, command, replays):
    """A violation's own line shows the same run, as often as one likes."""
    line = next((one for one in shown.splitlines() if one.startswith("replay: ")), "")
    replayed = shlex.split(line.removeprefix("replay: "))
    for _ in range(replays):
        again = subprocess.run([command, *replayed[1:]], capture_output=True, text=True, timeout=120)
        steps = [text.split("\nexecutions ")[0] for text in (shown, again.stdout)]
        if again.returncode != 1 or steps[0] != steps[1]:
            yield f"{case}: {line} shows another run:\n{again.stdout}{again.stderr}\nin the place of\n{shown}"
            return


def document_problem(case, rule, command, program):
    """SARIF names the rule, and a line of the program."""
    ran = subprocess.run([*command, "--format", "sarif", "--", str(program)], capture_output=True, text=True,
                         timeout=120)
    result = json.loads(ran.stdout)["runs"][0]["results"][0]
    place = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    if ran.returncode != 1 or result["ruleId"] != rule or not place.endswith(f"{program.name}.cpp"):
        yield f"{case}: exit code {ran.returncode}, {result['ruleId']} at {place}, expected {rule}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--folder", type=pathlib.Path, nargs="+",
                        default=[pathlib.Path(__file__).resolve().parent])
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--replays", type=int, default=1)
    parser.add_argument("--tsan", action="store_true")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    asked = subprocess.run([str(options.bin / "lockkeeper"), "threads", "--flags"], check=True,
                           capture_output=True, text=True)
    flags = {what: shlex.split(said) for what, said in (line.split(": ", 1) for line in asked.stdout.splitlines())}
    headers = compile_headers(options, [*flags["compile"], *OPTIONS])
    folders = [Folder(path, options, flags, headers) for path in options.folder]
    problems = [problem for folder in folders for problem in folder.missing()]
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        tasks = [pool.submit(folder.problems_of, name) for folder in folders for name in folder.programs()]
        for task in tasks:
            problems += task.result()
    cases = sum(len(folder.table) for folder in folders)
    print("\n".join(problems) or f"{cases} verdicts as expected")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
