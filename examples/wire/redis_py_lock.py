# SPDX-License-Identifier: Apache-2.0
"""The lock of redis-py, as it is: a token, a script that compares before it deletes, ten seconds."""

import os

import redis
from lockkeeper_wire import serve


def setup(key):
    lock = redis.Redis.from_url(os.environ["REDIS_URL"]).lock(key, timeout=10)
    return {
        "acquire": lambda: lock.acquire(blocking=False),
        "release": lock.release,
        "renew": lock.reacquire,
    }


serve(setup)
