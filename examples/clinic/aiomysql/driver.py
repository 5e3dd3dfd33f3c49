#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The pool of aiomysql (Debian: python3-aiomysql), maxsize 1; the connection is a stand-in. Who acquires
gets it within five seconds of virtual time, or nothing."""

import asyncio
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[1:1] = [os.path.join(HERE, "..", "..", "tasks"), os.path.join(HERE, "..", "..", "outside")]

from lockkeeper_tasks import outside, serve  # noqa: E402

import aiomysql  # noqa: E402


class StandIn:
    closed, last_usage = False, 0.0

    class _reader:
        eof_received = False

        @staticmethod
        def at_eof(): return False

        @staticmethod
        def exception(): return None

    def get_transaction_status(self): return False
    def close(self): pass
    async def ensure_closed(self): pass


async def connect(*args, **named):
    await outside("the server's greeting")
    return StandIn()


aiomysql.pool.connect = connect


async def setup(key):
    return aiomysql.Pool(minsize=0, maxsize=1, echo=False, pool_recycle=-1, loop=asyncio.get_running_loop())


async def acquire(pool, op):
    async with asyncio.timeout(5):
        op["mine"]["connection"] = await pool.acquire()


async def release(pool, op):
    await pool.release(op["mine"]["connection"])


serve(setup=setup, acquire=acquire, release=release)
