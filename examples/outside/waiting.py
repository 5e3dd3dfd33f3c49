#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A lock that waits: who finds all places taken asks to be woken, and sleeps. Each release wakes all
that sleep. Looking and asking are one step, as a script in Redis is. With --lost-wake-up they are
two: a release in between wakes nobody, and the caller sleeps forever.

With --no-flag the row alone is waited for: no release can be missed."""

import sys

from lockkeeper_client import serve

LOSES = "--lost-wake-up" in sys.argv
NO_FLAG = "--no-flag" in sys.argv


async def acquire(lock, op):
    key, asleep, cap = op["key"], op["key"] + ".asleep", op["max_per"] * op["buckets"]

    def take(state):
        if state.get(key, 0) < cap:
            state[key] = state.get(key, 0) + 1
            return True
        if not LOSES and not NO_FLAG:
            state[asleep] = True
        return False

    while not await lock.named("take a place").atomic([key, asleep], take):
        if NO_FLAG:
            await lock.named("wait for a place").wait_until(key, lambda taken: (taken or 0) < cap)
            continue
        if LOSES:
            await lock.named("ask to be woken").write(asleep, True)
        await lock.named("sleep").wait_while(asleep, True)


async def release(lock, op):
    def give_back(state):
        state[op["key"]] -= 1
        state[op["key"] + ".asleep"] = None

    await lock.named("give back").atomic([op["key"], op["key"] + ".asleep"], give_back)


serve(stateless=True, durable=True, acquire=acquire, release=release)
