# SPDX-License-Identifier: Apache-2.0
"""A lock whose answers depend on how often it has been reset: in the first run b is refused, in the later ones all others
are. With --steps it reads more often in each run."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "..", "examples", "outside"))

from lockkeeper_client import Refused, serve  # noqa: E402

runs = []


async def acquire(lock, op):
    for _ in range(1 + len(runs) % 4 if "--steps" in sys.argv else 1):
        await lock.read(op["key"])
    if (op["client"] == "b") == (len(runs) == 1):
        raise Refused


async def release(lock, op):
    await lock.read(op["key"])


serve(on_reset=lambda: runs.append("run"), acquire=acquire, release=release)
