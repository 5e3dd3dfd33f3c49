#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The pool of asyncpg (Debian: python3-asyncpg), of one connection, which is a stand-in: who acquires
gets it within five seconds of virtual time, or nothing. The stand-in waits for its server as
asyncpg's own connections do, by asyncpg's own wait_for."""

import os
import sys

sys.path[1:1] = [os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "outside")]

from lockkeeper_tasks import outside, serve  # noqa: E402

import asyncpg  # noqa: E402


class StandIn:
    class _protocol:
        queries_count = 0

        @staticmethod
        def _is_cancelling(): return False

    def is_closed(self): return False
    def terminate(self): pass
    def _set_proxy(self, proxy): pass
    def _on_release(self): pass
    async def close(self, timeout=None): pass
    async def reset(self, timeout=None): pass


class Pool(asyncpg.pool.Pool):
    async def _get_new_connection(self):
        await asyncpg.compat.wait_for(outside("the server's socket"), timeout=60)
        await asyncpg.compat.wait_for(outside("the server's greeting"), timeout=60)
        return StandIn()


async def setup(key):
    return await Pool("", min_size=0, max_size=1, max_queries=1_000, setup=None, init=None,
                      max_inactive_connection_lifetime=0, loop=None,
                      connection_class=asyncpg.Connection, record_class=asyncpg.Record)


async def acquire(pool, op):
    op["mine"]["connection"] = await pool.acquire(timeout=5)


async def release(pool, op):
    await pool.release(op["mine"]["connection"])


serve(setup=setup, acquire=acquire, release=release)
