#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Four semaphores of PLACES that somebody wrote for asyncio.

usage: semaphores.py racy|hasty|loses|right [PLACES]

  racy   wrong: it looks, gives other tasks a turn, and then takes the place that it saw
  hasty  wrong: `if` for `while`; who was told takes a place without looking again
  loses  wrong: release hands the place to the first waiter; a waiter that is cancelled in the very
         moment does not hand it on
  right  the same, and a cancelled waiter that was served hands its place on"""

import asyncio
import collections
import os
import sys

sys.path[1:1] = [os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "outside")]

from lockkeeper_tasks import serve  # noqa: E402

PLACES = int(sys.argv[2]) if len(sys.argv) > 2 else 1


class Racy:
    def __init__(self):
        self.free = PLACES

    async def acquire(self):
        while self.free == 0:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0)  # as a log, or a metric, would
        self.free -= 1

    def release(self):
        self.free += 1


class Hasty:
    def __init__(self):
        self.free, self.waiters = PLACES, collections.deque()

    async def acquire(self):
        if self.free == 0:
            told = asyncio.get_running_loop().create_future()
            self.waiters.append(told)
            await told
        self.free -= 1

    def release(self):
        self.free += 1
        while self.waiters:
            told = self.waiters.popleft()
            if not told.done():
                told.set_result(None)
                return


class Loses:
    def __init__(self):
        self.free, self.waiters = PLACES, collections.deque()

    async def acquire(self):
        if self.free > 0:
            self.free -= 1
            return
        served = asyncio.get_running_loop().create_future()
        self.waiters.append(served)
        try:
            await served
        except asyncio.CancelledError:
            self.cancelled(served)
            raise

    def cancelled(self, served):
        if served in self.waiters:
            self.waiters.remove(served)

    def release(self):
        while self.waiters:
            served = self.waiters.popleft()
            if not served.done():
                served.set_result(None)
                return
        self.free += 1


class Right(Loses):
    def cancelled(self, served):
        super().cancelled(served)
        if served.done() and not served.cancelled():
            self.release()


KINDS = {"racy": Racy, "hasty": Hasty, "loses": Loses, "right": Right}


async def acquire(lock, op):
    await lock.acquire()


def release(lock, op):
    lock.release()


serve(setup=lambda key: KINDS[sys.argv[1]](), acquire=acquire, release=release)
