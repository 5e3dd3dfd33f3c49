# SPDX-License-Identifier: Apache-2.0
"""A lock on two replicas, as examples/outside/replicas.py, each of which is asked by an atomic step:
atomic_parts.py all. With "any" one replica is enough; with "threads" the code blocks."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "..", "examples", "outside"))
from lockkeeper_client import Refused, serve  # noqa: E402

NEEDED = 1 if "any" in sys.argv else 2


def replicas(op):
    return [op["key"] + ".r1", op["key"] + ".r2"]


def taking(name, client):
    def take(state):
        won = state[name] is None
        state[name] = client if won else state[name]
        return won
    return take


def giving(name):
    def give(state):
        state[name] = None
    return give


async def acquire(lock, op):
    names = replicas(op)
    won = await lock.together(*[lock.atomic([name], taking(name, op["client"])) for name in names])
    if sum(won) < NEEDED:
        mine = [name for name, is_mine in zip(names, won) if is_mine]
        await lock.together(*[lock.atomic([name], giving(name)) for name in mine])
        raise Refused


async def release(lock, op):
    await lock.together(*[lock.atomic([name], giving(name)) for name in replicas(op)])


def acquire_blocking(lock, op):
    names = replicas(op)
    won = lock.together(*[lambda name=name: lock.atomic([name], taking(name, op["client"]))
                          for name in names])
    if sum(won) < NEEDED:
        mine = [name for name, is_mine in zip(names, won) if is_mine]
        lock.together(*[lambda name=name: lock.atomic([name], giving(name)) for name in mine])
        raise Refused


def release_blocking(lock, op):
    lock.together(*[lambda name=name: lock.atomic([name], giving(name)) for name in replicas(op)])


blocks = "threads" in sys.argv
serve(stateless=True, acquire=acquire_blocking if blocks else acquire,
      release=release_blocking if blocks else release)
