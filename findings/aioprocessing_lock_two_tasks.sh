#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: python3-aioprocessing 2.0.1 (Debian 12; AioLock), Python 3.11.
# Expected: coro_acquire() waits without holding up the event loop, and release() gives the lock to who waits.
# Really: each lock has one thread of its own in which it is acquired and released. A task that waits sits in that thread;
#   the release of the holder is queued behind it, and the event loop waits for that. Two tasks of one process
#   and one lock: both wait for each other, and all other tasks of the loop stand still.
# Seen: the lines at the end of this script, 2 s after the question. Controls: the lock is held by another process; the
#   second task asks after the release.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian python3-aioprocessing '2.0.1-*'
debian python3 '3.11.*'

cat >"$tmp/two.py" <<'PROGRAM'
import asyncio
import os
import sys
import threading
import time

import aioprocessing

title, case = sys.argv[1:]
seen = {"B": "waits", "loop": "stands still"}
lock = aioprocessing.AioLock()


def tell():
    print(f"{title}: B {seen['B']}, the event loop {seen['loop']}", flush=True)
    os._exit(0)


async def second():
    await lock.coro_acquire()
    seen["B"] = "has the lock"


async def beat():
    while True:
        seen["loop"] = "stands still"
        await asyncio.sleep(0.05)
        seen["loop"] = "runs"
        last[0] = time.monotonic()


async def main():
    asyncio.ensure_future(beat())
    if case == "process":
        holder = aioprocessing.AioProcess(target=lambda: (lock.acquire(), time.sleep(0.8), lock.release()))
        holder.start()
        await asyncio.sleep(0.3)
        asyncio.ensure_future(second())
    else:
        await lock.coro_acquire()
        if case == "waits":
            asyncio.ensure_future(second())
            await asyncio.sleep(0.3)
            lock.release()
        else:
            lock.release()
            asyncio.ensure_future(second())
    await asyncio.sleep(60)


def judge():
    time.sleep(2)
    seen["loop"] = "runs" if time.monotonic() - last[0] < 0.5 else "stands still"
    tell()


last = [0.0]
threading.Thread(target=judge, daemon=True).start()
asyncio.run(main())
PROGRAM

run() { timeout 20 /usr/bin/python3 "$tmp/two.py" "$@" 2>/dev/null; }
as_stated 'B waits when A releases: B waits, the event loop stands still
control, another process holds the lock: B has the lock, the event loop runs
control, B asks after the release of A: B has the lock, the event loop runs' "$(run 'B waits when A releases' waits
    run 'control, another process holds the lock' process
    run 'control, B asks after the release of A' later)"
