#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A right lock for --tasks that needs what asyncio does: keeping_tasks.py WAY. It lends its place by an asynchronous
generator that its caller abandons, wakes its waiters in the order of a set, has a task factory of its own, or is
closed by who cancels all tasks."""

import asyncio
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), *[".."] * 3, "examples", "tasks"))
sys.path.insert(0, os.path.join(os.path.dirname(__file__), *[".."] * 3, "examples", "outside"))
from lockkeeper_tasks import serve  # noqa: E402

way = sys.argv[1]


class Lock:
    def __init__(self): self.is_free, self.waiters = True, set()

    async def lend(self):
        await self.take()
        try:
            yield
        finally:
            await asyncio.sleep(0)
            self.release()

    async def take(self):
        if self.is_free:
            self.is_free = False
            return
        served = asyncio.get_running_loop().create_future()
        self.waiters.add(served)
        try:
            await served
        except asyncio.CancelledError:
            self.waiters.discard(served)
            if not served.cancelled():
                self.release()
            raise

    async def acquire(self, op):
        if way == "abandoned-generator":
            op["mine"]["place"] = self.lend()
            await anext(op["mine"]["place"])
            return
        if way == "own-factory":
            await asyncio.get_running_loop().create_task(asyncio.sleep(0))
        if way == "set-of-waiters":  # by their addresses it would have another order in each run
            waits = asyncio.get_running_loop().create_future()
            assert max(hash(waits), hash(asyncio.current_task())) < 1_000_000, "an address decides"
        await self.take()

    def release(self):
        for served in list(self.waiters):
            self.waiters.remove(served)
            if not served.done():
                return served.set_result(None)
        self.is_free = True


def release(lock, op):
    if way == "abandoned-generator":
        return op["mine"].pop("place") and None
    if way == "cancels-all":
        for task in asyncio.all_tasks() - {asyncio.current_task()}:
            task.cancel()
    lock.release()


def own_factory(loop, coroutine, **named):
    task = asyncio.Task(coroutine, loop=loop, **named)
    loop.call_soon(len, "")  # behind the task's first step
    return task


def setup(key):
    if way == "own-factory":
        asyncio.get_running_loop().set_task_factory(own_factory)
    return Lock()


serve(setup=setup, acquire=lambda lock, op: lock.acquire(op), release=release)
