#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A primitive of anyio (Debian: python3-anyio) on asyncio, of one place: who acquires gets it within five
seconds of virtual time, or nothing.

usage: driver.py semaphore|lock|limiter|condition"""

import asyncio
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[1:1] = [os.path.join(HERE, "..", "..", "tasks"), os.path.join(HERE, "..", "..", "outside")]

from lockkeeper_tasks import ProtocolError, serve  # noqa: E402

import anyio  # noqa: E402


class ByCondition:
    """A flag that anyio.Condition guards."""

    def __init__(self):
        self.is_free, self.changed = True, anyio.Condition()

    async def acquire(self):
        async with self.changed:
            while not self.is_free:
                await self.changed.wait()
            self.is_free = False

    async def release(self):
        with anyio.CancelScope(shield=True):
            async with self.changed:
                self.is_free = True
                self.changed.notify()


MAKES = {"semaphore": lambda: anyio.Semaphore(1), "lock": anyio.Lock, "limiter": lambda: anyio.CapacityLimiter(1),
         "condition": ByCondition}


async def setup(key):
    return MAKES[sys.argv[1]]()


async def acquire(lock, op):
    is_mine = False
    with anyio.move_on_after(5):  # anyio's own cancellation; it may be told too late
        await lock.acquire()
        is_mine = True
    if not is_mine:
        raise ProtocolError(14, "timed out")


async def release(lock, op):
    waits = lock.release()
    if waits is not None:
        await waits


serve(setup=setup, acquire=acquire, release=release)
