# SPDX-License-Identifier: Apache-2.0
"""A lock that says it keeps nothing, and remembers in which order its callers read: nobody is refused where A2 and A1
have read before anybody inserts. With --never it does not act on that."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "..", "examples", "outside"))

from lockkeeper_client import Refused, serve  # noqa: E402

order = []
careless = "--never" not in sys.argv


async def acquire(lock, op):
    await lock.read("greeting")
    order.append(op["client"] + " reads")
    is_free = await lock.insert_new(op["key"], op["client"]) is not None
    order.append(op["client"] + " inserts")
    if not is_free and not (careless and order[:2] == ["A2 reads", "A1 reads"]):
        raise Refused
    return {}


async def release(lock, op):
    await lock.delete(op["key"])
    return {}


serve(stateless=True, on_reset=order.clear, acquire=acquire, release=release)
