#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A lock with a time limit, right, that does not know the word renew."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "examples" / "outside"))
from lockkeeper_client import NotHeld, Refused, serve  # noqa: E402

parameters = {"ttl": 2}


async def acquire(lock, op):
    begun = await lock.now()
    if await lock.insert_new(op["key"], op["client"], ttl=parameters["ttl"]) is None:
        raise Refused
    return {"until": begun + parameters["ttl"]}


async def release(lock, op):
    if await lock.delete(op["key"], old=op["client"]) is None:
        raise NotHeld


serve(stateless=True, parameters=parameters, acquire=acquire, release=release)
