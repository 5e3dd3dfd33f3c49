#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A lock for --tasks that is right until two timers of less than a millisecond fire while another task is ready."""

import asyncio
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), *[".."] * 3, "examples", "tasks"))
sys.path.insert(0, os.path.join(os.path.dirname(__file__), *[".."] * 3, "examples", "outside"))
from lockkeeper_tasks import serve  # noqa: E402


class Lock:
    def __init__(self): self.held, self.busy, self.asked = False, False, 0

    async def acquire(self):
        self.asked += 1
        length, early = 0.0001 * (2 * self.asked - 1), 0
        for _ in range(2):
            await asyncio.sleep(length)
            early += self.busy
        self.busy = True
        for _ in range(3):
            await asyncio.sleep(0)
        self.busy = False
        while self.held and early < 2:
            await asyncio.sleep(0.01)
        self.held = True

    def release(self): self.held = False


serve(setup=lambda key: Lock(), acquire=lambda lock, op: lock.acquire(), release=lambda lock, op: lock.release())
