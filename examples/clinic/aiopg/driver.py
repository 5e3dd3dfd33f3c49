#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The pool of aiopg (Debian: python3-aiopg), maxsize 1; the connection is a stand-in. Who acquires gets it
within five seconds of virtual time, or nothing."""

import asyncio
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[1:1] = [os.path.join(HERE, "..", "..", "tasks"), os.path.join(HERE, "..", "..", "outside")]

from lockkeeper_tasks import outside, serve  # noqa: E402

import aiopg  # noqa: E402


class StandIn:
    closed, last_usage = False, 0.0

    class raw:
        @staticmethod
        def get_transaction_status(): return 0

    def close(self): pass


async def connect(*args, **named):
    await outside("the server's greeting")
    return StandIn()


aiopg.pool.connect = connect


async def setup(key):
    return aiopg.Pool("", minsize=0, maxsize=1, timeout=60, enable_json=False, enable_hstore=False,
                      enable_uuid=False, echo=False, on_connect=None, pool_recycle=-1)


async def acquire(pool, op):
    async with asyncio.timeout(5):
        op["mine"]["connection"] = await pool.acquire()


async def release(pool, op):
    await pool.release(op["mine"]["connection"])


serve(setup=setup, acquire=acquire, release=release)
