"""Broken: looks whether the key is there, and sets it with a second request."""

import os

import redis
from lockkeeper_wire import serve


def setup(key):
    client = redis.Redis.from_url(os.environ["REDIS_URL"])

    def acquire():
        if client.get(key):
            return False
        return bool(client.set(key, "1", px=10_000))

    def release():
        client.delete(key)

    return {"acquire": acquire, "release": release}


serve(setup)
