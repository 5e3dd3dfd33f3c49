#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: python3-throttler 1.2.2 (Debian 12; Throttler), Python 3.11.
# Expected: a new Throttler(2, period) has admitted nobody yet, so its first two callers get in at once, whatever
#   the period is.
# Really: the places of the past are noted as taken at the time 0 of the monotonic clock, which on Linux is the start of
#   the machine. Whoever asks within one period after the machine's start waits for its rest: with a limit for a day
#   the first caller sleeps for the rest of the first day. The same program is served at once on a machine that has
#   run for longer.
# Seen: the lines at the end of this script. The period is twice the time since the start, and a minute. Control:
#   half of that time, which lets two in at once and the third one wait.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian python3-throttler '1.2.2-*'

cat >"$tmp/boot.py" <<'PROGRAM'
import asyncio
import time

from throttler import Throttler


async def ask(throttler):
    async with throttler:
        pass


async def tell(throttler):
    try:
        await asyncio.wait_for(ask(throttler), 2)
        return "at once"
    except asyncio.TimeoutError:
        return "waits"


async def run(title, period, calls):
    throttler = Throttler(2, period)
    print(f"{title}:", ", ".join([await tell(throttler) for _ in range(calls)]))


since_start = time.monotonic()
asyncio.run(run("2 in twice the time since the start, new", 2 * since_start + 60, 3))
asyncio.run(run("control, 2 in half of it, new", since_start / 2, 3))
PROGRAM

as_stated '2 in twice the time since the start, new: waits, waits, waits
control, 2 in half of it, new: at once, at once, waits' "$(/usr/bin/python3 "$tmp/boot.py" 2>&1)"
