#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A lock in the way of Redis: SET key owner NX PX ttl. Release and renewal name the owner, as the
scripts of Redis clients do. A caller believes to hold until ttl after it *began* to ask, by its own
clock, which is never later than the server's end. Planted bugs, each from real clients:

--plain-delete    the release is a DEL that does not ask whose lock it is
--renew-anybody   the renewal is a PEXPIRE that does not ask whose lock it is
--two-steps       SETNX, then PEXPIRE: who dies between them leaves a lock without an end
--late-clock      the caller counts its time from the server's answer on
"""

import sys

from lockkeeper_client import NotHeld, Refused, serve

parameters = {"ttl": 2}


async def acquire(lock, op):
    key, ttl = op["key"], parameters["ttl"]
    begun = await lock.now()
    time = {} if "--two-steps" in sys.argv else {"ttl": ttl}
    if await lock.insert_new(key, op["client"], **time) is None:
        raise Refused
    if "--two-steps" in sys.argv:
        await lock.expire(key, ttl)
    if "--late-clock" in sys.argv:
        begun = await lock.now()
    return {"until": begun + ttl}


async def renew(lock, op):
    key, ttl = op["key"], parameters["ttl"]
    begun = await lock.now()
    if "--renew-anybody" in sys.argv:
        done = await lock.expire(key, ttl)
    else:
        done = await lock.expire(key, ttl, old=op["client"])
    if done is None:
        raise NotHeld
    return {"until": begun + ttl}


async def release(lock, op):
    if "--plain-delete" in sys.argv:
        await lock.delete(op["key"])
    elif await lock.delete(op["key"], old=op["client"]) is None:
        raise NotHeld


serve(stateless=True, durable=True, parameters=parameters, acquire=acquire, renew=renew,
      release=release)
