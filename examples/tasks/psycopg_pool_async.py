#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""AsyncConnectionPool of psycopg (Debian: python3-psycopg-pool), of one connection, which is a
stand-in: who acquires gets it within five seconds of virtual time, or nothing."""

import os
import sys

sys.path[1:1] = [os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "outside")]

from lockkeeper_tasks import ProtocolError, serve  # noqa: E402

from psycopg.pq import TransactionStatus  # noqa: E402
from psycopg_pool import AsyncConnectionPool, PoolTimeout  # noqa: E402


class StandIn:
    closed = False

    class pgconn:
        transaction_status = TransactionStatus.IDLE

    @classmethod
    async def connect(cls, conninfo, **named): return cls()
    async def close(self): self.closed = True


async def setup(key):
    pool = AsyncConnectionPool(name="pool", min_size=1, max_size=1, open=False, num_workers=1,
                               connection_class=StandIn)
    await pool.open(wait=True)
    return pool


async def acquire(pool, op):
    try:
        op["mine"]["connection"] = await pool.getconn(timeout=5)
    except PoolTimeout as error:
        raise ProtocolError(14, "timed out") from error


async def release(pool, op):
    await pool.putconn(op["mine"]["connection"])


serve(setup=setup, acquire=acquire, release=release)
