#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A lock of one place for lockkeeper_trio.py that is right until a deadline passes before a task goes on that is ready:
deadlines_trio.py same|apart. Same: all deadlines have one length. Apart: each is a second longer."""

import os
import sys

for folder in ("outside", "tasks"):
    sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..",
                                    "examples", folder))

from lockkeeper_trio import serve  # noqa: E402

import trio  # noqa: E402


class Lock:
    def __init__(self): self.held, self.busy, self.length = False, False, 1

    async def acquire(self):
        self.length += sys.argv[1] == "apart"
        await trio.sleep(self.length)
        is_second = self.busy
        self.busy = True
        await trio.lowlevel.checkpoint()
        self.busy = False
        while self.held and not is_second:
            await trio.sleep(1)
        self.held = True

    def release(self): self.held = False


serve(setup=lambda key: Lock(), acquire=lambda lock, op: lock.acquire(), release=lambda lock, op: lock.release())
