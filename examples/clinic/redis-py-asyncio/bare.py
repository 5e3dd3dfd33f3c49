# SPDX-License-Identifier: Apache-2.0
"""A pool of one connection. WATCH, and a reset that is cancelled while UNWATCH is answered. Exit code 1: the
connection is not to be had any more."""

import asyncio
import os
import sys

import redis.asyncio as redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff


class StandIn:
    retry_on_timeout, retry_on_error = False, []

    def __init__(self, **named):
        self.pid, self.retry, self.is_connected = os.getpid(), Retry(NoBackoff(), 0), True

    async def connect(self): pass
    async def disconnect(self, *args): pass
    async def can_read(self, timeout=0): return False
    async def send_command(self, *args): pass

    async def read_response(self, disable_decoding=False):
        await asyncio.sleep(0.05)
        return b"OK"


async def main():
    pool = redis.BlockingConnectionPool(max_connections=1, timeout=0.5, connection_class=StandIn)
    client = redis.Redis(connection_pool=pool)
    pipeline = client.pipeline()
    await pipeline.watch("key")
    resetting = asyncio.ensure_future(pipeline.reset())
    await asyncio.sleep(0.01)
    resetting.cancel()
    await asyncio.gather(resetting, return_exceptions=True)
    try:
        await client.pipeline().watch("key")
    except redis.ConnectionError:
        print("nobody has the connection, and nobody gets one")
        return 1
    print("kept")
    return 0


sys.exit(asyncio.run(main()))
