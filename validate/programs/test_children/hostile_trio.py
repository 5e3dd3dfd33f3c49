#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Drivers of lockkeeper_trio.py that misbehave, one way each: hostile_trio.py MODE."""

import atexit
import os
import socket
import sys

for folder in ("outside", "tasks"):
    sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..",
                                    "examples", folder))

import trio  # noqa: E402
from trio.to_thread import run_sync as early  # noqa: E402

from lockkeeper_trio import outside, serve  # noqa: E402
from trio.to_thread import run_sync  # noqa: E402

mode = sys.argv[1]
SOCKETS = socket.socketpair()


async def misbehave():
    if mode == "threads":
        await run_sync(print)
    if mode == "threads-early":
        await early(print)
    if mode == "process":
        await trio.run_process(["true"])
    if mode in ("reads", "setup-reads"):
        await trio.lowlevel.wait_readable(SOCKETS[0])
    if mode == "writes":
        await trio.lowlevel.wait_writable(SOCKETS[0])
    if mode == "fails-class":
        try:
            await outside("a reply", fails=ConnectionError)
        except ConnectionError:
            pass
    if mode == "tells-itself":
        told = trio.Event()
        trio.lowlevel.current_trio_token().run_sync_soon(told.set)
        await told.wait()
    if mode == "fails-nonsense":
        await outside("a reply", fails="no")


async def setup(key):
    if mode == "setup-reads":
        await misbehave()
    return trio.Lock()


async def acquire(lock, op):
    with trio.fail_after(5):
        await misbehave()
        await lock.acquire()


def release(lock, op):
    lock.release()


atexit.register(print, "a function of atexit has run")
serve(setup=setup, acquire=acquire, release=release)
print("serve has returned")
