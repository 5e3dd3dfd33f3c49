#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Rate limiters: "grants" acquires in any "window" of ticks (examples/outside/limiter.json). Nobody
releases. argv[1] says which.

sliding   a log of the last grants, looked at and written in one step
fixed     a counter of windows that follow each other: up to twice as many at the border of two
bucket    tokens that come back one by one: as many more as come back meanwhile
paced     one grant, and the next one when its share of the window is over

Planted bugs, each from real limiters:

race      the log is read, and written with a second step
short     the log forgets a tick too early
closed    and this one a tick too late
hammered  whoever is refused is written into the log, too
no_end    a counter, and its end with a second step: who dies between them leaves it without one
"""

import sys

from lockkeeper_client import Refused, serve

KIND = sys.argv[1] if len(sys.argv) > 1 else "sliding"
parameters = {"grants": 1, "window": 2}


def room(log, now):
    length = parameters["window"] + {"short": -1, "closed": 1}.get(KIND, 0)
    return [moment for moment in log if now - moment < length]


def sliding(key):
    def take(seen, now):
        log = room(seen.get(key, []), now)
        full = len(log) >= parameters["grants"]
        if not full or KIND == "hammered":
            seen[key] = [*log, now]
        return not full
    return take


def fixed(key):
    def take(seen, now):
        number = now // parameters["window"]
        before, count = seen.get(key, [number, 0])
        count = count if before == number else 0
        if count < parameters["grants"]:
            seen[key] = [number, count + 1]
        return count < parameters["grants"]
    return take


# In shares: `window` of them are a token, and each tick brings `grants`.
def bucket(key):
    def take(seen, now):
        grants, window = parameters["grants"], parameters["window"]
        shares, since = seen.get(key, [grants * window, now])
        shares = min(grants * window, shares + (now - since) * grants)
        if shares >= window:
            seen[key] = [shares - window, now]
        return shares >= window
    return take


def paced(key):
    def take(seen, now):
        last = seen.get(key)
        free = last is None or (now - last) * parameters["grants"] >= parameters["window"]
        if free:
            seen[key] = now
        return free
    return take


async def race(lock, key):
    now = await lock.now()
    log = room(await lock.read(key) or [], now)
    if len(log) >= parameters["grants"]:
        return False
    await lock.write(key, [*log, now])
    return True


async def no_end(lock, key):
    count = await lock.update_counter(key, 1, create_if_not_exists=True)
    if count == 1:
        await lock.expire(key, parameters["window"])
    return count <= parameters["grants"]


STEPS = {"race": race, "no_end": no_end}
AT_ONCE = {"fixed": fixed, "bucket": bucket, "paced": paced}


async def acquire(lock, op):
    key = op["key"]
    if KIND in STEPS:
        granted = await STEPS[KIND](lock, key)
    else:
        granted = await lock.atomic([key], AT_ONCE.get(KIND, sliding)(key), clock=True)
    if not granted:
        raise Refused


serve(stateless=True, durable=True, parameters=parameters, acquire=acquire)
