#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Locks of trio's own, and some that somebody wrote for it.

usage: trio_locks.py KIND [PLACES]

  Lock, Semaphore, CapacityLimiter, StrictFIFOLock   of trio
  racy       wrong: it looks, gives other tasks a turn, and then takes the place that it saw
  forgets    wrong: a waiter that is cancelled stays in the queue, and is served there
  twice      wrong: release hands the place to the first waiter, and counts it as free, too
  queue      right: a waiter that gives up leaves the queue
  impatient  wrong: a waiter that gives up takes the holder for dead, and hands the place to the next one"""

import collections
import os
import sys

sys.path[1:1] = [os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "outside")]

import trio  # noqa: E402

from lockkeeper_trio import serve  # noqa: E402

PLACES = int(sys.argv[2]) if len(sys.argv) > 2 else 1


class Racy:
    def __init__(self):
        self.free = PLACES

    async def acquire(self):
        while self.free == 0:
            await trio.sleep(0.01)
        await trio.lowlevel.checkpoint()  # as a log, or a metric, would
        self.free -= 1

    def release(self):
        self.free += 1


class Forgets:
    def __init__(self):
        self.free, self.waiters = PLACES, collections.deque()

    async def acquire(self):
        if self.free > 0:
            self.free -= 1
            return
        served = trio.Event()
        self.waiters.append(served)
        await served.wait()

    def release(self):
        if self.waiters:
            self.waiters.popleft().set()
        else:
            self.free += 1


class Twice(Forgets):
    def release(self):
        super().release()
        self.free = min(PLACES, self.free + 1)


class Queue(Forgets):
    async def acquire(self):
        await trio.lowlevel.checkpoint()
        if self.free > 0:
            self.free -= 1
            return
        served = trio.Event()
        self.waiters.append(served)
        try:
            await served.wait()
        except trio.Cancelled:
            self.give_up(served)
            raise

    def give_up(self, served):
        if served.is_set():
            self.release()
        else:
            self.waiters.remove(served)

    def release(self):
        super().release()
        self.free = min(PLACES, self.free)


class Impatient(Queue):
    def give_up(self, served):
        super().give_up(served)
        if self.waiters and not served.is_set():
            self.waiters.popleft().set()


OWN = {"Lock": trio.Lock, "StrictFIFOLock": trio.StrictFIFOLock, "Semaphore": lambda: trio.Semaphore(PLACES),
       "CapacityLimiter": lambda: trio.CapacityLimiter(PLACES)}
KINDS = {**OWN, "racy": Racy, "forgets": Forgets, "twice": Twice, "queue": Queue,
         "impatient": Impatient}


async def acquire(lock, op):
    with trio.fail_after(5):
        await lock.acquire()


def release(lock, op):
    lock.release()


serve(setup=lambda key: KINDS[sys.argv[1]](), acquire=acquire, release=release)
