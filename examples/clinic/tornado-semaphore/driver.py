#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A semaphore of tornado.locks (Debian: python3-tornado), of one place: who acquires gets it within five seconds of
virtual time, or nothing."""

import datetime
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[1:1] = [os.path.join(HERE, "..", "..", "tasks"), os.path.join(HERE, "..", "..", "outside")]

from lockkeeper_tasks import ProtocolError, serve  # noqa: E402

import tornado.locks  # noqa: E402
import tornado.util  # noqa: E402


async def acquire(lock, op):
    try:
        await lock.acquire(timeout=datetime.timedelta(seconds=5))
    except tornado.util.TimeoutError:
        raise ProtocolError(14, "timed out")


serve(setup=lambda key: tornado.locks.Semaphore(1), acquire=acquire, release=lambda lock, op: lock.release())
