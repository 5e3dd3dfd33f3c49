# SPDX-License-Identifier: Apache-2.0
"""Mistakes in a lock's own script, through the client library: mistakes.py MODE. None of them is an
answer of the lock, but for the last ones."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "..", "examples", "outside"))
from lockkeeper_client import ProtocolError, Refused, serve  # noqa: E402

mode = sys.argv[1]


def double(state):
    state["db"] = 1
    state["other" if mode == "other-key" else "db"] += 1
    if mode == "thrown":
        raise ValueError("in the middle")


async def awaits(state):
    state["db"] = 1


def nested(lock):
    return lambda state: lock.atomic(["db"], double)


def refuse(state):
    state["db"] = 1
    raise Refused


async def acquire(lock, op):
    if mode == "type" and await lock.read("db") is not None:
        return None + 1
    await lock.write("db", 1)
    if mode == "name":
        undefined_name  # noqa: F821
    elif mode == "answer":
        return {"until": object()}
    elif mode == "value":
        await lock.write("db", {1, 2})
    elif mode == "step-name":
        await lock.named(7).read("db")
    elif mode == "long-name":
        await lock.named("x" * 10_000_000).read("db")
    elif mode in ("thrown", "other-key"):
        await lock.atomic(["db"], double)
    elif mode == "awaits":
        await lock.atomic(["db"], awaits)
    elif mode == "nested":
        await lock.atomic(["db"], nested(lock))
    elif mode == "assertion":
        assert op["key"] == "no key of this lock", "as the lock promises itself"
    elif mode == "purpose":
        raise RuntimeError("as the lock promises itself")
    elif mode == "own-error":
        raise ProtocolError(14, "the lock says so")
    elif mode == "dies":
        raise ProtocolError(13, "the lock says so")
    elif mode == "undone":
        await lock.delete("db")
        await lock.atomic(["db"], refuse)


def acquire_blocking(lock, op):
    lock.access("looks")
    return None + 1


async def release(lock, op):
    await lock.write("db", 0)


def on_reset():
    if mode == "hook":
        raise KeyError("nobody")


serve(stateless=True, acquire=acquire_blocking if mode == "blocking" else acquire, release=release,
      on_reset=on_reset)
