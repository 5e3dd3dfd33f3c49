#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A pool of PLACES connections for asyncio, right or with one fault.

usage: pools.py KIND [PLACES]

  right     a place passes from whoever leaves it to the first who waits
  cancels   wrong: a waiter that is cancelled in the moment in which it is served keeps the place
  opened    right: and asks a server for each connection, which may refuse
  opens     wrong: it asks, and a connection that is refused keeps its place
  destroys  wrong: a connection that is destroyed keeps its place
  closes    wrong: who waits when the pool is closed is not told
  doubles   wrong: a returned connection goes to who waits, and counts as free

A caller whose name begins with D destroys its connection, and "close" closes the pool. Nobody waits
for a time only: who is left waits for ever."""

import asyncio
import collections
import os
import sys

sys.path[1:1] = [os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "outside")]

from lockkeeper_tasks import ProtocolError, Refused, outside, serve  # noqa: E402

KIND = sys.argv[1]
PLACES = int(sys.argv[2]) if len(sys.argv) > 2 else 1


class Closed(Exception):
    pass


class Pool:
    def __init__(self):
        self.free, self.waiters, self.is_closed = PLACES, collections.deque(), False

    async def acquire(self):
        await self.place()
        if KIND not in ("opened", "opens"):
            return
        try:
            await outside("the server's greeting", ConnectionError("the server refuses"))
        except BaseException:
            if KIND != "opens":
                self.leave()
            raise

    async def place(self):
        if self.is_closed:
            raise Closed
        if self.free > 0:
            self.free -= 1
            return
        served = asyncio.get_running_loop().create_future()
        self.waiters.append(served)
        try:
            await served
        except asyncio.CancelledError:
            if not served.cancelled() and KIND != "cancels":
                self.leave()
            raise

    def leave(self):
        while self.waiters:
            served = self.waiters.popleft()
            if not served.done():
                served.set_result(None)
                self.free += KIND == "doubles"
                return
        self.free += 1

    def release(self, destroys):
        if not (destroys and KIND == "destroys"):
            self.leave()

    def close(self):
        self.is_closed = True
        while self.waiters and KIND != "closes":
            self.waiters.popleft().set_exception(Closed())


async def acquire(pool, op):
    try:
        await pool.acquire()
    except Closed as error:
        raise Refused from error
    except ConnectionError as error:
        raise ProtocolError(14, str(error)) from error


def release(pool, op):
    pool.release(op["client"].startswith("D"))


def close(pool, op):
    pool.close()


serve(setup=lambda key: Pool(), acquire=acquire, release=release, close=close)
