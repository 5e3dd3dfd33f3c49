# SPDX-License-Identifier: Apache-2.0
"""A lock on a Redis with a replica that lags: put to it are the scenarios of replica/. argv[1] is how:

    primary     asks the primary alone
    looks       broken: takes what the replica shows as free
    reads_back  broken: believes what the replica shows after the primary has granted it
"""

import os
import sys
import uuid

import redis
from lockkeeper_wire import serve

HOW = sys.argv[1] if len(sys.argv) > 1 else "primary"
LASTS = 10
RELEASE = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0"


def setup(key):
    primary = redis.Redis.from_url(os.environ["REDIS_URL"])
    replica = redis.Redis.from_url(os.environ["REDIS_REPLICA_URL"])
    token = str(uuid.uuid4()).encode()

    def acquire():
        if HOW == "looks" and replica.get(key) is not None:
            return False
        granted = primary.set(key, token, nx=HOW != "looks", ex=LASTS) is not None
        return granted and (HOW != "reads_back" or replica.get(key) == token)

    def release():
        return primary.eval(RELEASE, 1, key, token) == 1

    return {"acquire": acquire, "release": release}


serve(setup)
