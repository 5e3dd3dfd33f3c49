# SPDX-License-Identifier: Apache-2.0
"""A has the only connection and B waits. A returns it, and B is cancelled in the same moment. Exit code 1: the
connection is not to be had any more."""

import asyncio
import sys

from psycopg.pq import TransactionStatus
from psycopg_pool import AsyncConnectionPool, PoolTimeout


class StandIn:
    closed = False

    class pgconn:
        transaction_status = TransactionStatus.IDLE

    @classmethod
    async def connect(cls, conninfo, **named): return cls()
    async def close(self): self.closed = True


async def served(pool):
    try:
        await pool.putconn(await pool.getconn(timeout=0.3))
        return True
    except PoolTimeout:
        return False


async def main():
    broken = 0
    for turns in range(6):  # of the loop, between the return and the cancellation
        pool = AsyncConnectionPool(name="pool", min_size=1, max_size=1, open=False, num_workers=1,
                                   connection_class=StandIn)
        await pool.open(wait=True)
        connection = await pool.getconn()
        waiter = asyncio.ensure_future(pool.getconn(timeout=5))
        await asyncio.sleep(0.01)
        returned = asyncio.ensure_future(pool.putconn(connection))
        for _ in range(turns):
            await asyncio.sleep(0)
        waiter.cancel()
        await returned
        outcome = (await asyncio.gather(waiter, return_exceptions=True))[0]
        if isinstance(outcome, StandIn):
            await pool.putconn(outcome)
        if not await served(pool):
            broken += 1
        await pool.close(timeout=0)
    print(f"{broken} of 6 pools have lost their connection")
    return 1 if broken else 0


sys.exit(asyncio.run(main()))
