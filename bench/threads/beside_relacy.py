#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`lockkeeper threads` beside Relacy, in one run: a complete search of a TTAS lock with three threads, schedules by
chance under sc, and alone runs of 21 events and fib_bench. `make bench` calls it. The times are of whole
processes, the median of ROUNDS (5) in turn. `--quick`, the test: both find nothing in a few schedules of the lock."""

import os
import pathlib
import re
import resource
import shlex
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEDULES = 100_000


def run(*command):
    """Standard output, and seconds of processor time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    said = subprocess.run([str(one) for one in command], check=True, capture_output=True, text=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return said, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


class Tools:
    def __init__(self, build, work):
        self.command = build / "lockkeeper"
        said, _ = run(self.command, "threads", "--flags")
        flags = dict(line.split(": ", 1) for line in said.splitlines())
        self.work = work
        self.compile, self.link = (shlex.split(flags[what]) for what in ("compile", "link"))

    def program(self, source):
        made = self.work / source.stem
        run("g++", "-std=c++20", "-O1", *self.compile, "-c", source, "-o", f"{made}.o")
        run("g++", f"{made}.o", *self.link, "-o", made)
        return made

    def relacy(self):
        made = self.work / "relacy_ttas"
        run("g++", "-std=c++17", "-O2", "-U_FORTIFY_SOURCE", "-w", ROOT / "bench/threads/relacy_ttas.cpp", "-o", made)
        return made

    def threads(self, program, *flags, arguments=()):
        """Executions, events and seconds."""
        said, seconds = run(self.command, "threads", *flags, "--", program, *arguments)
        executions = sum(int(count) for count in re.findall(r"(\d+) (?:complete|in which|dropped|without)", said))
        return executions, int(re.search(r"events +(\d+)", said).group(1)), seconds


def peer(program, *arguments):
    """Iterations, steps and seconds."""
    said, seconds = run(program, *arguments)
    iterations, steps = re.match(r"(\d+) iterations, (\d+) steps", said).groups()
    return int(iterations), int(steps), seconds


def in_turn(rounds, *measures):
    """The first two figures of each, and the median of its seconds."""
    times = [[] for _ in measures]
    figures = [None] * len(measures)
    for _ in range(rounds):
        for index, measure in enumerate(measures):
            *figures[index], seconds = measure()
            times[index].append(max(seconds, 1e-3))
    return [(*figure, statistics.median(seconds)) for figure, seconds in zip(figures, times)]


def line(what, runs, steps, seconds):
    print(f"  {what:<22} {runs:>11,} runs {steps:>13,} steps {seconds:>8.3f} s {runs / seconds:>12,.0f} runs/s "
          f"{steps / seconds:>13,.0f} steps/s")


def without_relacy():
    """The exit code of a test that was not made: nothing may be missing on a build server."""
    print("relacy is not installed: no comparison")
    return 1 if os.environ.get("CI") else 77


def main():
    is_quick = "--quick" in sys.argv
    rounds = 1 if is_quick else int(os.environ.get("ROUNDS", "5"))
    schedules = 2_000 if is_quick else SCHEDULES
    build = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build/bench")
    with tempfile.TemporaryDirectory() as folder:
        tools = Tools(build, pathlib.Path(folder))
        ttas = tools.program(ROOT / "bench/threads/ttas.cpp")
        has_relacy = subprocess.run(["g++", "-E", "-x", "c++", "-include", "relacy/relacy.hpp", os.devnull],
                                    capture_output=True).returncode == 0
        relacy = tools.relacy() if has_relacy else None
        def beside(title, own_flags, relacy_flags, compare):
            print(title)
            measures = [lambda: tools.threads(ttas, *own_flags)]
            measures += [lambda: peer(relacy, *relacy_flags)] if relacy else []
            own, *others = in_turn(rounds, *measures)
            line("lockkeeper", *own)
            for other in others:
                line("relacy", *other)
                print("  " + compare(own, other))

        beside("TTAS lock, three threads, schedules by chance (lockkeeper: sc)",
               ("--model", "sc", "--strategy", "random", "--schedules", schedules), ("random", schedules),
               lambda own, other: f"ratio of steps per second: {own[1] / own[2] / (other[1] / other[2]):.2f}")
        if is_quick:
            return 0 if relacy else without_relacy()
        beside("TTAS lock, three threads, complete search (c11)", (), ("full",),
               lambda own, other: f"relacy runs {other[0] / own[0]:,.0f} times as many, "
                                  f"and takes {other[2] / own[2]:,.0f} times as long")
        print("runs of 21 events, schedules by chance (c11)")
        small = tools.program(ROOT / "bench/threads/twenty_events.cpp")
        own, = in_turn(rounds, lambda: tools.threads(small, "--strategy", "random", "--schedules", 2 * SCHEDULES))
        line("lockkeeper", *own)
        print("fib_bench, five rounds, release and acquire: GenMC finds 525,630 executions")
        fib = tools.program(ROOT / "validate/threads/test_programs/fib_bench.cpp")
        own, = in_turn(1, lambda: tools.threads(fib, arguments=("5",)))
        line("lockkeeper", *own)
    if not relacy:
        without_relacy()
    return 0


if __name__ == "__main__":
    sys.exit(main())
