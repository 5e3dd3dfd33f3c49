#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""AsyncConnectionPool of httpcore (Debian: python3-httpcore), max_connections 1, on asyncio by anyio. A caller
holds from the request to the end of its response; a wait gives up after five seconds of virtual time. The
network is a stand-in that answers each request."""

import asyncio
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[1:1] = [os.path.join(HERE, "..", "..", "tasks"), os.path.join(HERE, "..", "..", "outside")]

from lockkeeper_tasks import ProtocolError, outside, serve  # noqa: E402

import httpcore  # noqa: E402
from httpcore.backends.base import AsyncNetworkBackend, AsyncNetworkStream  # noqa: E402


class Stream(AsyncNetworkStream):
    def __init__(self): self.answers = []
    async def read(self, max_bytes, timeout=None):
        await outside("the answer")
        return self.answers.pop(0) if self.answers else b""

    async def write(self, buffer, timeout=None):
        self.answers.append(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")

    async def aclose(self): pass
    def get_extra_info(self, info): return None


class Network(AsyncNetworkBackend):
    async def connect_tcp(self, *args, **named):
        await outside("the connection")
        return Stream()


async def setup(key):
    return httpcore.AsyncConnectionPool(max_connections=1, network_backend=Network())


async def acquire(pool, op):
    request = httpcore.Request("GET", "http://one/", headers=[("Host", "one")], extensions={"timeout": {"pool": 5}})
    try:
        op["mine"]["response"] = await pool.handle_async_request(request)
    except httpcore.PoolTimeout as error:
        raise ProtocolError(14, "timed out") from error


async def release(pool, op):
    try:
        await op["mine"]["response"].aread()
    finally:  # as "async with" does
        await op["mine"]["response"].aclose()


serve(setup=setup, acquire=acquire, release=release)
