#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Canal lock over a shared store. A key has buckets, filled from the left; a caller says how many
it sees and how much fits one.

As it stands here it is the repaired algorithm: the row of a key, with its owners, is replaced as a
whole or not at all, and a manager gives back what the dead held. With --faithful it is the
published one: a counter for each bucket, changed one after the other, and a transient -1 that
somebody else can take for a free place (docs/findings/canal_lock.md). With --monitor-late the manager hears
of a caller after it has taken its place: who dies in between is forgotten."""

import sys

from lockkeeper_client import ProtocolError, Refused, serve

MONITOR_LATE = "--monitor-late" in sys.argv
# There is no such row, or no rule for what it counts.
DIES = ProtocolError(13, "badarg")
EMPTY = {"counts": [], "owners": {}}


async def change(lock, key, edit):
    """Replaces the row by what `edit` makes of it (None: leave it); what edit returned."""
    while True:
        old = await lock.read(key)
        new = edit(old or EMPTY)
        if new is None or await lock.cas(key, old, new):
            return new


async def acquire(lock, op):
    client, max_per = op["client"], op["max_per"]

    async def tell_manager():
        await lock.monitor(client, "manager", {"dead": client, "key": op["key"]})

    if not MONITOR_LATE:  # the manager knows before there is something to give back
        await tell_manager()

    def take(row):
        if sum(row["counts"]) >= max_per * op["buckets"]:
            return None
        counts = row["counts"] + [0] * (op["buckets"] - len(row["counts"]))
        bucket = next(i for i, count in enumerate(counts) if count < max_per)
        counts[bucket] += 1
        return {"counts": counts,
                "owners": {**row["owners"], client: row["owners"].get(client, 0) + 1}}

    row = await change(lock, op["key"], take)
    if row is None:
        raise Refused
    if MONITOR_LATE:
        await tell_manager()
    return {"count": sum(row["counts"])}


async def give_back(lock, key, client, everything):
    def edit(row):
        held = row["owners"].get(client, 0)
        if held == 0:
            return None
        counts = list(row["counts"])
        for _ in range(held if everything else 1):
            counts[max(i for i, count in enumerate(counts) if count > 0)] -= 1
        owners = {**row["owners"], client: 0 if everything else held - 1}
        return {"counts": counts, "owners": {who: n for who, n in owners.items() if n > 0}}

    await change(lock, key, edit)


async def release(lock, op):
    await give_back(lock, op["key"], op["client"], everything=False)


async def manager(lock):
    while True:
        message = await lock.receive("manager")
        await give_back(lock, message["key"], message["dead"], everything=True)


async def acquire_faithful(lock, op):
    key, max_per, buckets, bucket = op["key"], op["max_per"], op["buckets"], 1
    while True:
        cap = max_per + 1
        position = await lock.update_counter(f"{key}.{bucket}", 1, most=cap)
        if position is None:
            if not await lock.insert_new(f"{key}.{bucket}", 1):
                continue
            if bucket == 1:
                await lock.write(f"{key}.highest", 1)
            elif await lock.update_counter(f"{key}.highest", 1) is None:
                raise DIES
            position = 1
        elif position == cap and bucket == buckets:
            raise Refused
        elif position == cap and bucket < buckets:
            bucket += 1
            continue
        return {"count": (bucket - 1) * max_per + position}


async def release_faithful(lock, op):
    key, max_per = op["key"], op["max_per"]
    bucket = await lock.read(f"{key}.highest")
    if bucket is None:
        raise DIES
    while True:
        count = await lock.update_counter(f"{key}.{bucket}", -1)
        if count is None or count > max_per:
            raise DIES
        if count < 0:
            await lock.update_counter(f"{key}.{bucket}", 1)
            if bucket == 1:
                return
            bucket -= 1
        elif count < max_per:
            return
        else:
            break
    for _ in range(15):  # the unit was the mark "full": now a real one
        count = await lock.update_counter(f"{key}.{bucket}", -1, least=0)
        if count < max_per:
            return
        if count > max_per:
            raise DIES
    await lock.update_counter(f"{key}.{bucket}", -2, least=0)


if "--faithful" in sys.argv:
    serve(stateless=True, acquire=acquire_faithful, release=release_faithful)
else:
    serve(stateless=True, acquire=acquire, release=release, background={"manager": manager})
