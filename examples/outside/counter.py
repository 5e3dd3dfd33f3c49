#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A limiter that counts in a shared store. Wrong: it reads, compares, and writes what it read plus
one. With --atomic right: one update_counter, which says whether there was room."""

import sys

from lockkeeper_client import Refused, serve


async def acquire(lock, op):
    count = await lock.read(op["key"]) or 0
    if count >= op["max_per"] * op["buckets"]:
        raise Refused
    await lock.write(op["key"], count + 1)


async def acquire_atomic(lock, op):
    cap = op["max_per"] * op["buckets"]
    count = await lock.update_counter(op["key"], 1, create_if_not_exists=True)
    if count > cap:
        await lock.update_counter(op["key"], -1)
        raise Refused


async def release(lock, op):
    await lock.update_counter(op["key"], -1)


serve(stateless=True, release=release,
      acquire=acquire_atomic if "--atomic" in sys.argv else acquire)
