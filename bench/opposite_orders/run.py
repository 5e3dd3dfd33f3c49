#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two clients that take two keys in opposite orders, of each system with faults and clocks: how many
states, how long, how much memory, with what the command uses unasked.

    bench/opposite_orders/run.py [--lockkeeper PATH ...] [--time-limit 60s] [--memory 8G] [SYSTEM ...]

Several commands run in turn. Exit code 1: a search was not complete, or two commands found other
properties violated."""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent


def measured(command, scope, arguments):
    flags = [str(command), "explore", str(scope), "--format", "json",
             "--time-limit", arguments.time_limit, "--memory", arguments.memory,
             *arguments.flags.split()]
    begin = time.monotonic()
    with subprocess.Popen(flags, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        text = process.stdout.read()
        _, _, usage = os.wait4(process.pid, 0)
        process.returncode = 0  # it has been waited for
    found = json.loads(text)
    return {
        "complete": found["complete"],
        "states": found["states"],
        "reduction": found["files"][0]["reduction"],
        "seconds": time.monotonic() - begin,
        "cpu": usage.ru_utime + usage.ru_stime,
        "gib": usage.ru_maxrss / 2**20,
        "violated": sorted(one["property"] for one in found.get("violations", [])),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("systems", nargs="*", help="all, where none is named")
    parser.add_argument("--lockkeeper", nargs="+", default=["build/release/lockkeeper"])
    parser.add_argument("--time-limit", default="60s")
    parser.add_argument("--memory", default="8G")
    parser.add_argument("--flags", default="", help="more for `lockkeeper explore`")
    arguments = parser.parse_args()
    scopes = [HERE / f"{system}.json" for system in arguments.systems] or sorted(HERE.glob("*.json"))
    print(f"{'scope':<22} {'states':>12} {'s':>7} {'CPU s':>7} {'GiB':>6}  complete  "
          f"beyond symmetry; violated")
    is_all_well = True
    for scope in scopes:
        results = [measured(command, scope, arguments) for command in arguments.lockkeeper]
        for found in results:
            print(f"{scope.stem:<22} {found['states']:>12,} {found['seconds']:>7.1f} "
                  f"{found['cpu']:>7.1f} {found['gib']:>6.2f}  {'yes' if found['complete'] else 'NO':<8}  "
                  f"{found['reduction']}; {', '.join(found['violated']) or 'nothing'}", flush=True)
        complete = [found["violated"] for found in results if found["complete"]]
        is_all_well &= len(complete) == len(results) and all(one == complete[0] for one in complete)
    return 0 if is_all_well else 1


if __name__ == "__main__":
    sys.exit(main())
