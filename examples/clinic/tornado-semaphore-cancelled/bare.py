# SPDX-License-Identifier: Apache-2.0
"""A has the only place and B waits. A releases, and B's task is cancelled in the same moment. Exit code 1: the place is
not to be had any more."""

import asyncio
import datetime
import sys

import tornado.locks
import tornado.util


async def acquire(lock):
    await lock.acquire()


async def main():
    lock = tornado.locks.Semaphore(1)
    await lock.acquire()
    waiter = asyncio.ensure_future(acquire(lock))
    await asyncio.sleep(0.01)
    lock.release()
    waiter.cancel()
    outcome = (await asyncio.gather(waiter, return_exceptions=True))[0]
    if not isinstance(outcome, BaseException):
        lock.release()
    try:
        await lock.acquire(timeout=datetime.timedelta(seconds=0.3))
    except tornado.util.TimeoutError:
        print(f"the waiter ended with {outcome!r}, and nobody can have the place")
        return 1
    print("the place is free")
    return 0


sys.exit(asyncio.run(main()))
