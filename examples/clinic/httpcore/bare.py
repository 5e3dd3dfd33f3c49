# SPDX-License-Identifier: Apache-2.0
"""A pool of one connection, whose network is a stand-in. A caller reads and closes its response, and is cancelled
in one of the turns of the loop that this takes. Exit code 1: the connection is not to be had any more."""

import asyncio
import sys

import httpcore
from httpcore.backends.base import AsyncNetworkBackend, AsyncNetworkStream


class Stream(AsyncNetworkStream):
    def __init__(self): self.answers = []

    async def read(self, max_bytes, timeout=None):
        await asyncio.sleep(0.001)
        return self.answers.pop(0) if self.answers else b""

    async def write(self, buffer, timeout=None):
        self.answers.append(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")

    async def aclose(self): pass
    def get_extra_info(self, info): return None


class Network(AsyncNetworkBackend):
    async def connect_tcp(self, *args, **named): return Stream()


def request():
    return httpcore.Request("GET", "http://one/", headers=[("Host", "one")], extensions={"timeout": {"pool": 0.3}})


async def finish(response):
    try:
        await response.aread()
    finally:
        await response.aclose()


async def keeps(turns):
    pool = httpcore.AsyncConnectionPool(max_connections=1, network_backend=Network())
    closing = asyncio.ensure_future(finish(await pool.handle_async_request(request())))
    for _ in range(turns):
        await asyncio.sleep(0)
    closing.cancel()
    await asyncio.gather(closing, return_exceptions=True)
    try:
        await finish(await pool.handle_async_request(request()))
        return True
    except httpcore.PoolTimeout:
        return False


async def main():
    broken = sum([not await keeps(turns) for turns in range(8)])
    print(f"{broken} of 8 pools have lost their connection", flush=True)
    return 1 if broken else 0


sys.exit(asyncio.run(main()))
