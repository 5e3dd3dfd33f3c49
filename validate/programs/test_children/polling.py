# SPDX-License-Identifier: Apache-2.0
"""A lock that asks for its row again and again: nothing is kept between two questions. The row ends 2 units after the
lease of 10 that it says it gives."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "..", "examples", "outside"))

from lockkeeper_client import serve  # noqa: E402

parameters = {"ttl": 10}


async def acquire(lock, op):
    while True:
        row = await lock.value("read", (20,), key=op["key"], local="asks")
        if row is None and await lock.insert_new(op["key"], op["client"], ttl=parameters["ttl"] + 2):
            return {}


async def release(lock, op):
    await lock.delete(op["key"], old=op["client"])


serve(stateless=True, durable=True, parameters=parameters, acquire=acquire, release=release)
