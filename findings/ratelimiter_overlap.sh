#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: python3-ratelimiter 1.2.0.post0 (Debian 12).
# Expected: the README says that an operation is not executed more often than max_calls in a period. The
#   limiter guards its data by a lock, so it is meant for threads: of 8 calls at once 2 begin in the
#   first period.
# Really: a call is counted when it ends, and looked for when the next one begins. Calls under way are in
#   no count: all 8 begin at once. The slower the calls, the more get through.
# Seen: the lines at the end of this script. Controls: the same calls one after the other, and the same
#   8 at once under python3-throttler 1.2.2, which counts when a call begins.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian python3-ratelimiter '1.2.0.post0-*'
debian python3-throttler '1.2.2-*'

cat >"$tmp/calls.py" <<'PROGRAM'
import asyncio
import threading
import time

import ratelimiter
import throttler

PERIOD = 4


def report(title, starts):
    print(f"{title}: {sum(start - starts[0] < PERIOD / 2 for start in starts)} of {len(starts)} begin at once")


def threads(limiter):
    starts = []

    def call():
        with limiter:
            starts.append(time.monotonic())
            time.sleep(0.5)

    callers = [threading.Thread(target=call) for _ in range(8)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    return starts


def one_by_one(limiter):
    starts = []
    for _ in range(4):
        with limiter:
            starts.append(time.monotonic())
    return starts


async def tasks(limiter):
    starts = []

    async def call():
        async with limiter:
            starts.append(time.monotonic())
            await asyncio.sleep(0.5)

    await asyncio.gather(*(call() for _ in range(8)))
    return starts


report("ratelimiter, 2 in a period, threads", threads(ratelimiter.RateLimiter(2, PERIOD)))
report("control: one by one", one_by_one(ratelimiter.RateLimiter(2, PERIOD)))
report("control: throttler", asyncio.run(tasks(throttler.Throttler(2, PERIOD))))
PROGRAM

as_stated 'ratelimiter, 2 in a period, threads: 8 of 8 begin at once
control: one by one: 2 of 4 begin at once
control: throttler: 2 of 8 begin at once' "$(/usr/bin/python3 "$tmp/calls.py")"
