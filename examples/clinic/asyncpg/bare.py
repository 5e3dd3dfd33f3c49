# SPDX-License-Identifier: Apache-2.0
"""A pool of one connection, whose server takes its time. acquire(timeout=...) runs out in the moment in which the
socket opens, and the caller is cancelled when the greeting comes. Exit code 1: the connection is not to be had
any more."""

import asyncio
import sys
import time

import asyncpg


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
        self.socket, self.greeting = (asyncio.get_running_loop().create_future() for _ in range(2))
        await asyncpg.compat.wait_for(self.wait(self.socket), timeout=60)
        await asyncpg.compat.wait_for(self.wait(self.greeting), timeout=60)
        return StandIn()

    async def wait(self, future):
        await future


async def served(pool):
    asking = asyncio.ensure_future(pool.acquire(timeout=0.3))
    await asyncio.sleep(0.01)
    for future in (pool.socket, pool.greeting):
        if not future.done():
            future.set_result(None)
    try:
        await pool.release(await asking)
        return True
    except asyncio.TimeoutError:
        return False


async def keeps(turns):
    pool = await Pool("", min_size=0, max_size=1, max_queries=1_000, setup=None, init=None,
                      max_inactive_connection_lifetime=0, loop=None,
                      connection_class=asyncpg.Connection, record_class=asyncpg.Record)
    loop = asyncio.get_running_loop()
    asking = asyncio.ensure_future(pool.acquire(timeout=0.05))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    loop.call_later(0.01, lambda: pool.socket.set_result(None))
    time.sleep(0.1)  # both are due
    await asyncio.sleep(0.01)
    pool.greeting.set_result(None)
    for _ in range(turns):
        await asyncio.sleep(0)
    asking.cancel()
    outcome = (await asyncio.gather(asking, return_exceptions=True))[0]
    if not isinstance(outcome, BaseException):
        await pool.release(outcome)
    return await served(pool)


async def main():
    broken = sum([not await keeps(turns) for turns in range(6)])  # of the loop, before the cancellation
    print(f"{broken} of 6 pools have lost their connection")
    return 1 if broken else 0


sys.exit(asyncio.run(main()))
