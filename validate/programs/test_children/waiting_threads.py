# SPDX-License-Identifier: Apache-2.0
"""The lock of examples/outside/waiting.py in blocking code, through the client library."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "..", "examples", "outside"))
from lockkeeper_client import serve  # noqa: E402

LOSES = "--lost-wake-up" in sys.argv


def acquire(lock, op):
    key, asleep, cap = op["key"], op["key"] + ".asleep", op["max_per"] * op["buckets"]

    def take(state):
        if state.get(key, 0) < cap:
            state[key] = state.get(key, 0) + 1
            return True
        if not LOSES:
            state[asleep] = True
        return False

    while not lock.named("take a place").atomic([key, asleep], take):
        if LOSES:
            lock.write(asleep, True)
        lock.named("sleep").wait_while(asleep, True)


def release(lock, op):
    def give_back(state):
        state[op["key"]] -= 1
        state[op["key"] + ".asleep"] = None

    lock.atomic([op["key"], op["key"] + ".asleep"], give_back)


serve(stateless=True, durable=True, acquire=acquire, release=release)
