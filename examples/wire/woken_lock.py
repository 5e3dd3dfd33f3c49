# SPDX-License-Identifier: Apache-2.0
"""Locks whose waiters are woken, by redis-py: argv[1] says by what.

    subscribe    a message that the holder publishes
    blpop        the lock is the one element of a list
    late         broken: subscribes after it has tried, and misses what was published before
"""

import os
import sys

import redis
from lockkeeper_wire import serve

FILL = "if redis.call('SETNX', KEYS[1]..':made', 1) == 1 then redis.call('RPUSH', KEYS[1], 't') end return 1"


class ListLock:
    def __init__(self, key):
        self.redis = redis.Redis.from_url(os.environ["REDIS_URL"])
        self.key = key

    def acquire(self):
        self.redis.eval(FILL, 1, self.key)
        return self.redis.blpop([self.key], 0) is not None

    def release(self):
        self.redis.rpush(self.key, "t")


class MessageLock(ListLock):
    IS_LATE = False

    def acquire(self):
        messages = self.redis.pubsub()
        if not self.IS_LATE:
            self.subscribe(messages)
        while not self.redis.setnx(self.key, 1):
            if not messages.subscribed:
                self.subscribe(messages)
            messages.get_message(timeout=None)
        messages.close()
        return True

    def subscribe(self, messages):
        messages.subscribe("free")
        messages.get_message(timeout=None)

    def release(self):
        self.redis.delete(self.key)
        self.redis.publish("free", 1)


class LateLock(MessageLock):
    IS_LATE = True


def setup(key):
    lock = {"subscribe": MessageLock, "blpop": ListLock, "late": LateLock}[sys.argv[1]](key)
    return {"acquire": lock.acquire, "release": lock.release}


serve(setup)
