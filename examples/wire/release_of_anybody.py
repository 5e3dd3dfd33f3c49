"""Broken: SET NX with an end, and a release that deletes without asking whose lock it is."""

import os

import redis
from lockkeeper_wire import serve


def setup(key):
    client = redis.Redis.from_url(os.environ["REDIS_URL"])

    def release():
        client.delete(key)

    return {
        "acquire": lambda: bool(client.set(key, "1", nx=True, px=10_000)),
        "release": release,
    }


serve(setup)
