#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: python3-aioprocessing 2.0.1 (Debian 12; AioLock, AioSemaphore), Python 3.11.
# Expected: a task that gives up its coro_acquire(), as asyncio.wait_for() does after its time, has no lock afterwards.
# Really: the thread that waits for it waits on, and takes the lock when it comes free. Nobody holds it and nobody can
#   know that: a lock is gone for all processes, of a semaphore each one who gives up takes a place.
# Seen: the lines at the end of this script, after the holder's release. Controls: nobody gives up.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian python3-aioprocessing '2.0.1-*'
debian python3 '3.11.*'

cat >"$tmp/gave_up.py" <<'PROGRAM'
import asyncio
import logging
import multiprocessing
import os
import sys

import aioprocessing

title, kind, patience = sys.argv[1:]


def free(lock, told):
    told.put(lock.acquire(timeout=0.5))


async def main():
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)
    lock = getattr(aioprocessing, kind)()
    lock.acquire()
    seen = "had it"
    if patience == "5":
        asyncio.get_running_loop().call_later(0.3, lock.release)
    try:
        await asyncio.wait_for(lock.coro_acquire(), float(patience))
    except asyncio.TimeoutError:
        seen = "gave up"
    print(f"{title}: B {seen}", end="", flush=True)
    lock.release()
    await asyncio.sleep(0.3)
    told = multiprocessing.Queue()
    other = multiprocessing.Process(target=free, args=(lock, told))
    other.start()
    print(f", then another process {'gets it' if told.get() else 'waits'}", flush=True)
    os._exit(0)


asyncio.run(main())
PROGRAM

run() { timeout 20 /usr/bin/python3 "$tmp/gave_up.py" "$@" 2>/dev/null; }
as_stated 'a lock, B gives up after 0.3 s: B gave up, then another process waits
a semaphore of 1, B gives up after 0.3 s: B gave up, then another process waits
control, a lock, B waits on: B had it, then another process gets it
control, a semaphore of 1, B waits on: B had it, then another process gets it' "$(run 'a lock, B gives up after 0.3 s' AioLock 0.3
    run 'a semaphore of 1, B gives up after 0.3 s' AioSemaphore 0.3
    run 'control, a lock, B waits on' AioLock 5
    run 'control, a semaphore of 1, B waits on' AioSemaphore 5)"
