#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: python3-aiorpcx 0.22.1 (Debian 12), Python 3.11.
# Expected: next_done() of a TaskGroup returns the next task that has ended, or None when no more tasks remain.
# Really: whether tasks remain is asked before the wait only. If two wait for the last task one of them is given it, and
#   the other one sleeps for ever beside a group without tasks. So does join(), the end of `async with`, if another one
#   reads the results of the group at that moment.
# Seen: the lines at the end of this script, 0.5 s after the last task. Controls: as many tasks as wait; they ask later.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian python3-aiorpcx '0.22.1-*'
debian python3 '3.11.*'

cat >"$tmp/group.py" <<'PROGRAM'
import asyncio

from aiorpcx import TaskGroup


async def work(seconds, value):
    await asyncio.sleep(seconds)
    return value


async def run(title, tasks, callers, later=0):
    group = TaskGroup()
    for number in range(tasks):
        await group.spawn(work(0.2, f"task {number}"))
    await asyncio.sleep(later)
    seen = {}

    async def call(name):
        seen[name] = "waits"
        found = await getattr(group, name.split()[0])()
        seen[name] = found.result() if found else "returns"

    waiting = [asyncio.ensure_future(call(name)) for name in callers]
    await asyncio.sleep(0.7)
    print(f"{title}: " + ", ".join(f"{name}: {told}" for name, told in seen.items()))
    for one in waiting:
        one.cancel()


async def main():
    await run("two wait for one task", 1, ["next_done 1", "next_done 2"])
    await run("a reader and join()", 1, ["next_done 1", "join"])
    await run("control, two wait for two", 2, ["next_done 1", "next_done 2"])
    await run("control, they ask after its end", 1, ["next_done 1", "next_done 2"], 0.4)


asyncio.run(main())
PROGRAM

as_stated 'two wait for one task: next_done 1: task 0, next_done 2: waits
a reader and join(): next_done 1: task 0, join: waits
control, two wait for two: next_done 1: task 0, next_done 2: task 1
control, they ask after its end: next_done 1: task 0, next_done 2: returns' "$(/usr/bin/python3 "$tmp/group.py")"
