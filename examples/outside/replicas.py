# SPDX-License-Identifier: Apache-2.0
"""A lock on two replicas, in blocking code: whoever has both of them holds the lock. The replicas
are asked at once, so two questions of one operation are open.

replicas.py             both replicas
replicas.py --any       one replica is enough: two callers hold the lock
"""

import sys

from lockkeeper_client import Refused, serve

NEEDED = 1 if "--any" in sys.argv else 2


def replicas(op):
    return [f"{op['key']}.{replica}" for replica in ("r1", "r2")]


def acquire(lock, op):
    names = replicas(op)
    won = lock.together(*[lambda name=name: lock.insert_new(name, op["client"]) for name in names])
    if sum(each is not None for each in won) < NEEDED:
        give_back(lock, [name for name, each in zip(names, won) if each is not None])
        raise Refused


def release(lock, op):
    give_back(lock, replicas(op))


def give_back(lock, names):
    lock.together(*[lambda name=name: lock.delete(name) for name in names])


serve(stateless=True, durable=True, acquire=acquire, release=release)
