# SPDX-License-Identifier: Apache-2.0
"""A connector of one connection: A has it, B and C wait. C is cancelled and A releases in one moment, and C asks
again at once. Exit code 1: two have a connection."""

import asyncio
import os

from aiohttp import ClientTimeout
from aiohttp.connector import BaseConnector


class StandIn:
    should_close, transport = False, None

    def is_connected(self): return True
    def close(self): pass


class Connector(BaseConnector):
    async def _create_connection(self, req, traces, timeout):
        await asyncio.sleep(0.01)
        return StandIn()


REQUEST = type("Request", (), {"connection_key": type("Key", (), {"is_ssl": False})()})()


async def main():
    connector = Connector(limit=1, force_close=True)
    inside = []

    async def b():
        await connector.connect(REQUEST, [], ClientTimeout())
        inside.append("B")

    async def c():
        try:
            await connector.connect(REQUEST, [], ClientTimeout())
        except asyncio.CancelledError:
            await connector.connect(REQUEST, [], ClientTimeout())
        inside.append("C")

    first = await connector.connect(REQUEST, [], ClientTimeout())
    tasks = [asyncio.ensure_future(b()), asyncio.ensure_future(c())]
    await asyncio.sleep(0.01)
    tasks[1].cancel()
    first.release()
    await asyncio.sleep(0.1)
    print(f"{' and '.join(inside)} have a connection, limit is 1", flush=True)
    os._exit(1 if len(inside) > 1 else 0)


asyncio.run(main())
