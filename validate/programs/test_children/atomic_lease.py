# SPDX-License-Identifier: Apache-2.0
"""A lease that is taken in one step, which sets its end: atomic_lease.py right. With "endless" the
step forgets the end."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "..", "examples", "outside"))
from lockkeeper_client import NotHeld, Refused, serve  # noqa: E402

TTL = 2


async def acquire(lock, op):
    def take(state, now):
        if state["db"]:
            raise Refused
        state["db"] = op["client"]
        if sys.argv[1] == "right":
            state.expire("db", TTL)
        return now + TTL

    return {"until": await lock.atomic(["db"], take, clock=True)}


async def release(lock, op):
    def give_back(state):
        if state["db"] != op["client"]:
            raise NotHeld
        state["db"] = None

    await lock.atomic(["db"], give_back)


serve(stateless=True, acquire=acquire, release=release)
