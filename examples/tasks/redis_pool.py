#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The pool of redis.asyncio (Debian: python3-redis), of one connection, which is a stand-in: a caller
holds it from WATCH in a pipeline to the pipeline's reset. Who acquires gets it within five seconds of
virtual time, or nothing."""

import os
import sys

sys.path[1:1] = [os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "outside")]

from lockkeeper_tasks import ProtocolError, outside, serve  # noqa: E402

import redis.asyncio as redis  # noqa: E402
from redis.asyncio.retry import Retry  # noqa: E402
from redis.backoff import NoBackoff  # noqa: E402


class StandIn:
    retry_on_timeout, retry_on_error = False, []

    def __init__(self, **named):
        self.pid, self.retry, self.is_connected = os.getpid(), Retry(NoBackoff(), 0), True

    async def connect(self): pass
    async def disconnect(self, *args): pass
    async def can_read(self, timeout=0): return False
    async def send_command(self, *args): self.sent = args[0]

    async def read_response(self, disable_decoding=False):
        await outside("the answer to " + self.sent)
        return b"OK"


def setup(key):
    pool = redis.BlockingConnectionPool(max_connections=1, timeout=5, connection_class=StandIn)
    return redis.Redis(connection_pool=pool)


async def acquire(client, op):
    pipeline = client.pipeline()
    try:
        await pipeline.watch(op["key"])
    except redis.ConnectionError as error:
        raise ProtocolError(14, "timed out") from error
    except BaseException:
        await pipeline.reset()  # as "async with" does
        raise
    op["mine"]["pipeline"] = pipeline


async def release(client, op):
    await op["mine"]["pipeline"].reset()


serve(setup=setup, acquire=acquire, release=release)
