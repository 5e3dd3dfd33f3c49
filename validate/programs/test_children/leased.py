#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Locks that answer in ways that a verdict has to notice: leased.py MODE. Those with a time limit
keep one row in the harness's store: {"owner", "end"}, "end" null for one that never ends.

plain-delete      a release deletes whatever is there
renew-anybody     a renewal extends whatever is there
two-steps         the row is made without an end, which a second step adds
locks-out         the row of the dead ends a long time after somebody asks for it, and never once
                  somebody asks again before that
over-at-once      a grant has ended when it is asked for
again             its owner may acquire again, with the token of the hold
token-stays       as again, but the token is the next owner's, too
no-end            the row has no end, and no grant says until when
places            counts grants with an end, and gives everybody one
admits            grants everything, and asks nothing
contended         an acquire that finds the row answers error 0
aborts            an acquire that finds the row answers error 14
errors            every acquire answers error 14
indefinite        every acquire answers error 0
random            a grant's count is drawn by lot
lucky             every other acquire is granted, whatever was reset; nothing is asked
dies-by-luck      one acquire in two ends the program
"""

import itertools
import os
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "examples" / "outside"))
from lockkeeper_client import NotHeld, ProtocolError, Refused, serve  # noqa: E402

mode = sys.argv[1]
parameters = {"ttl": 2}
chance = random.Random(os.urandom(8))
acquires = itertools.count()


async def live_row(lock, key):
    row = await lock.read(key)
    if row and row["end"] is not None and row["end"] <= await lock.now():
        return row, None
    return row, row


async def acquire_row(lock, op):
    ttl = parameters["ttl"]
    begun = await lock.now()
    stored, row = await live_row(lock, op["key"])
    if mode in ("again", "token-stays"):
        return await acquire_again(lock, op, stored, row)
    if row and mode == "locks-out":
        end = None if row.get("asked") else begun + (1 << 32)
        await lock.write(op["key"], {**row, "end": end, "asked": True})
    if row:
        raise Refused
    end = None if mode in ("two-steps", "no-end", "locks-out") else begun + ttl
    if not await lock.cas(op["key"], stored, {"owner": op["client"], "end": end}):
        raise Refused
    if mode == "no-end":
        return None
    if mode in ("two-steps", "locks-out"):
        await lock.write(op["key"], {"owner": op["client"], "end": begun + ttl})
    return {"until": begun + (-1 if mode == "over-at-once" else ttl)}


async def acquire_again(lock, op, stored, row):
    if row and row["owner"] != op["client"]:
        raise Refused
    end = await lock.now() + parameters["ttl"]
    depth = row["depth"] + 1 if row else 1
    token = stored["token"] if stored else 1
    if stored and not row and mode == "again":
        token += 1
    new = {"owner": op["client"], "end": end, "depth": depth, "token": token}
    if not await lock.cas(op["key"], stored, new):
        raise Refused
    return {"until": end, "token": token}


async def acquire(lock, op):
    if mode in ("errors", "indefinite"):
        raise ProtocolError(14 if mode == "errors" else 0)
    if mode == "admits":
        return None
    if mode == "places":
        return {"until": await lock.now() + parameters["ttl"]}
    if mode == "random":
        await lock.write(op["key"], 1)
        return {"count": chance.randrange(1 << 30)}
    if mode in ("contended", "aborts"):
        if await lock.insert_new(op["key"], op["client"]) is None:
            raise ProtocolError(14 if mode == "aborts" else 0)
        return None
    if mode == "lucky":
        if next(acquires) % 2 == 0:
            raise Refused
        return None
    if mode == "dies-by-luck":
        if chance.random() < 0.5:
            sys.exit(3)
        await lock.insert_new(op["key"], 1)
        return None
    return await acquire_row(lock, op)


async def renew(lock, op):
    begun = await lock.now()
    stored, row = await live_row(lock, op["key"])
    if row is None or mode != "renew-anybody" and row["owner"] != op["client"]:
        raise NotHeld
    new = {**row, "end": begun + parameters["ttl"]}
    if not await lock.cas(op["key"], stored, new):
        raise NotHeld
    return {"until": new["end"]}


async def release(lock, op):
    if mode in ("admits", "errors", "indefinite", "lucky", "places"):
        return
    if mode in ("plain-delete", "contended", "aborts", "random", "dies-by-luck"):
        await lock.delete(op["key"])
        return
    stored, row = await live_row(lock, op["key"])
    if row is None or row["owner"] != op["client"]:
        raise NotHeld
    new = {**row, "owner": None, "end": 0}
    if row.get("depth", 1) > 1:
        new = {**row, "depth": row["depth"] - 1}
    if not await lock.cas(op["key"], stored, new):
        raise NotHeld


serve(stateless=mode not in ("random", "lucky", "dies-by-luck"), parameters=parameters,
      acquire=acquire, renew=renew, release=release)
