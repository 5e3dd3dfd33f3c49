#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A lease in a shared store: one row for each key, {owner, token, until}, replaced as a whole.
With --renew-anybody a renewal forgets to ask whose lease it is: a holder that was late renews the
lease of the one who has taken over. With --early an acquire takes a lease a tick before its end.
An acquire reads the clock and then the row, so a lease may be shorter than its time, and counts as
refused when the row has changed, though what came between may be over. With --exact it reads the
clock last and looks again."""

import sys

from lockkeeper_client import NotHeld, Refused, serve

parameters = {"ttl": 2}
checks_owner = "--renew-anybody" not in sys.argv
early = 1 if "--early" in sys.argv else 0
exact = "--exact" in sys.argv


async def acquire(lock, op):
    now = None if exact else await lock.now()
    row = await lock.read(op["key"])
    now = await lock.now() if exact else now
    if row and row["owner"] and row["until"] > now + early:
        raise Refused
    new = {"owner": op["client"], "token": (row["token"] if row else 0) + 1,
           "until": now + parameters["ttl"]}
    if not await lock.cas(op["key"], row, new):
        if exact:
            return await acquire(lock, op)
        raise Refused
    return {"token": new["token"], "until": new["until"]}


async def renew(lock, op):
    now = await lock.now()
    row = await lock.read(op["key"])
    if row is None or checks_owner and row["token"] != op["token"]:
        raise NotHeld
    new = {**row, "until": now + parameters["ttl"]}
    if not await lock.cas(op["key"], row, new):
        raise NotHeld
    return {"until": new["until"]}


async def release(lock, op):
    row = await lock.read(op["key"])
    if row is None or row["token"] != op["token"] or not row["owner"]:
        raise NotHeld
    if not await lock.cas(op["key"], row, {**row, "owner": None}):
        raise NotHeld


serve(stateless=True, durable=True, parameters=parameters, acquire=acquire, renew=renew,
      release=release)
