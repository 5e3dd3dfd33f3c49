# SPDX-License-Identifier: Apache-2.0
"""A holds the only token and B waits. A releases, and C asks before B goes on. Exit code 1: two hold."""

import asyncio
import sys

import anyio

inside = []


async def hold(limiter, name):
    await limiter.acquire()
    inside.append(name)
    await asyncio.sleep(0.1)


async def main():
    limiter = anyio.CapacityLimiter(1)
    await limiter.acquire()
    waiter = asyncio.ensure_future(hold(limiter, "B"))
    await asyncio.sleep(0.01)
    newcomer = asyncio.ensure_future(hold(limiter, "C"))
    limiter.release()
    await asyncio.sleep(0.05)
    print(f"{' and '.join(inside)} hold, total_tokens is 1")
    waiter.cancel()
    newcomer.cancel()
    return 1 if len(inside) > 1 else 0


sys.exit(asyncio.run(main()))
