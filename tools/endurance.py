#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What takes hours and must hold all the same, of clients at the wire and their private servers.

    tools/endurance.py replays [--times 300] [--hogs 4]    a recorded run of three clients is replayed so
                                                           often beside busy processes: never another one
    tools/endurance.py kills [--times 100] [--seed 1]      the command is killed at random moments, with
                                                           its servers running: no process, no folder stays

Needs what the examples need: redis-py for the Python that runs this, Node.js, hiredis, PostgreSQL. Exit
code 1: something differed, or something was left; each is printed."""

import argparse
import os
import pathlib
import random
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
WIRE = ROOT / "examples/wire"
PATIENCE_S = 20


def clients(work):
    """Three clients in three languages, each with a mistake that is found."""
    in_c = work / "set_nx_px"
    subprocess.run(["cc", "-o", in_c, WIRE / "set_nx_px.c", "-lhiredis"], check=True)
    return {
        "C, hiredis": [str(in_c), "--release-anybody"],
        "Node.js": ["node", str(WIRE / "set_nx_px.js"), "--release-anybody"],
        "redis-py": [sys.executable, str(WIRE / "broken_locks.py"), "release_of_anybody"],
    }


def validate(options, client, *more, server="redis", scenario="expiry.json"):
    return [str(options.lockkeeper), "validate", "--wire", server, "--client", shlex.join(client),
            str(WIRE / scenario), *more]


def run_of(text):
    """The steps and the verdict of a report: all that must be the same each time."""
    lines = [line.lstrip("*! ") for line in text.splitlines()]
    return [line for line in lines if re.match(r"\d+  |verdict:", line)]


def replays(options, work):
    failed = 0
    for name, client in clients(work).items():
        found = subprocess.run(validate(options, client), capture_output=True, text=True).stdout
        line = re.search(r"--replay-choices '([^']+)'", found)
        if line is None:
            sys.exit(f"{name}: nothing was found:\n{found}")
        first, different = run_of(found), 0
        # Busy until they are ended: they take the processors from the clients.
        hogs = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(options.hogs)]
        begin = time.monotonic()
        try:
            for number in range(options.times):
                again = subprocess.run(validate(options, client, "--replay-choices", line[1]),
                                       capture_output=True, text=True)
                if run_of(again.stdout) != first:
                    different += 1
                    print(f"{name}: replay {number + 1} differs:\n{again.stdout}{again.stderr}", flush=True)
        finally:
            for hog in hogs:
                hog.kill()
                hog.wait()
        print(f"{name}: {len(first) - 1} steps, {options.times} replays, {different} differ, "
              f"{time.monotonic() - begin:.0f} s", flush=True)
        failed += different
    return failed


def processes_of(folder):
    """The processes that know the folder, by their variables or their arguments."""
    found = []
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            known = (process / "environ").read_bytes() + (process / "cmdline").read_bytes()
        except OSError:  # it has ended, or is somebody else's
            continue
        if str(folder).encode() in known and int(process.name) != os.getpid():
            found.append(f"{process.name} {(process / 'cmdline').read_bytes()[:80]!r}")
    return found


def is_nothing_left(folder):
    until = time.monotonic() + PATIENCE_S
    while processes_of(folder) or any(folder.iterdir()):
        if time.monotonic() > until:
            return False
        time.sleep(0.05)
    return True


def kills(options, work):
    draw = random.Random(options.seed)
    # Right locks, and schedules without an end: nothing else ends the command.
    without_end = ["--search", "random", "--schedules", "1000000"]
    in_c, in_node, _ = clients(work).values()
    commands = [
        validate(options, in_c[:1], *without_end, scenario="killed.json"),
        validate(options, in_node[:2], *without_end, scenario="killed.json"),
        validate(options, [sys.executable, str(WIRE / "redis_py_lock.py")], *without_end, scenario="expiry.json"),
        validate(options, [sys.executable, str(WIRE / "session_lock.py"), "session"], *without_end,
                 server="postgresql", scenario="two_callers.json"),
    ]
    left = early = 0
    for number in range(options.times):
        folder = pathlib.Path(tempfile.mkdtemp(dir=work))
        # A server of PostgreSQL's user keeps its files in there, too.
        folder.chmod(0o755)
        command = commands[number % len(commands)]
        with subprocess.Popen(command, env={**os.environ, "TMPDIR": str(folder)}, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) as process:
            try:
                process.wait(timeout=draw.uniform(0, 6))
                early += 1
            except subprocess.TimeoutExpired:
                process.send_signal(draw.choice([signal.SIGKILL, signal.SIGTERM, signal.SIGINT]))
        if not is_nothing_left(folder):
            left += 1
            print(f"kill {number + 1} of {shlex.join(command)} left: {processes_of(folder)}, "
                  f"{[path.name for path in folder.iterdir()]}", flush=True)
    print(f"{options.times} kills, {left} left something; {early} had ended before", flush=True)
    return left + early


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["replays", "kills"])
    parser.add_argument("--lockkeeper", type=pathlib.Path, default=ROOT / "build/release/lockkeeper")
    parser.add_argument("--times", type=int)
    parser.add_argument("--hogs", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    options.times = options.times or (300 if options.what == "replays" else 100)
    work = pathlib.Path(tempfile.mkdtemp())
    work.chmod(0o755)
    try:
        return 1 if (replays if options.what == "replays" else kills)(options, work) else 0
    finally:
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
