#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""asyncio's own locks as locks of one place, or of PLACES.

usage: asyncio_locks.py lock|semaphore|condition|queue [PLACES]"""

import asyncio
import os
import sys

sys.path[1:1] = [os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "outside")]

from lockkeeper_tasks import serve  # noqa: E402

PLACES = int(sys.argv[2]) if len(sys.argv) > 2 else 1


class ByCondition:
    """A counter that asyncio.Condition guards."""

    def __init__(self):
        self.free, self.changed = PLACES, asyncio.Condition()

    async def acquire(self):
        async with self.changed:
            await self.changed.wait_for(lambda: self.free > 0)
            self.free -= 1

    async def release(self):
        async with self.changed:
            self.free += 1
            self.changed.notify()


class ByQueue:
    """Tokens in an asyncio.Queue."""

    def __init__(self):
        self.tokens = asyncio.Queue()
        for token in range(PLACES):
            self.tokens.put_nowait(token)

    async def acquire(self):
        await self.tokens.get()

    def release(self):
        self.tokens.put_nowait(0)


MAKES = {"lock": asyncio.Lock, "semaphore": lambda: asyncio.Semaphore(PLACES),
         "condition": ByCondition, "queue": ByQueue}


async def acquire(lock, op):
    await lock.acquire()


async def release(lock, op):
    waits = lock.release()
    if waits is not None:
        await waits


serve(setup=lambda key: MAKES[sys.argv[1]](), acquire=acquire, release=release)
