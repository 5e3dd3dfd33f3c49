#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The connector of aiohttp (Debian: python3-aiohttp), limit 1: who acquires gets a connection within
five seconds of virtual time, or nothing. The connection is a stand-in."""

import asyncio
import os
import sys

sys.path[1:1] = [os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "outside")]

from lockkeeper_tasks import serve  # noqa: E402

from aiohttp import ClientTimeout  # noqa: E402
from aiohttp.connector import BaseConnector  # noqa: E402


class StandIn:
    should_close, transport = False, None

    def is_connected(self): return True
    def close(self): pass


class Connector(BaseConnector):
    async def _create_connection(self, req, traces, timeout):
        return StandIn()


REQUEST = type("Request", (), {"connection_key": type("Key", (), {"is_ssl": False})()})()


async def setup(key):
    return Connector(limit=1, force_close=True)


async def acquire(connector, op):
    async with asyncio.timeout(5):
        op["mine"]["connection"] = await connector.connect(REQUEST, [], ClientTimeout())


def release(connector, op):
    op["mine"]["connection"].release()


serve(setup=setup, acquire=acquire, release=release)
