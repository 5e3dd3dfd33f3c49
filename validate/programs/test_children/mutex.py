# SPDX-License-Identifier: Apache-2.0
"""A lock of one place, whatever it is asked for. With --any-release who is refused frees the lock."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "..", "examples", "outside"))

from lockkeeper_client import Refused, serve  # noqa: E402

frees = "--any-release" in sys.argv


async def acquire(lock, op):
    if await lock.insert_new(op["key"], op["client"]) is None:
        if frees:
            await lock.delete(op["key"])
        raise Refused
    return {}


async def release(lock, op):
    await lock.delete(op["key"])
    return {}


serve(stateless=True, durable=True, acquire=acquire, release=release)
