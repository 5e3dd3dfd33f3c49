# SPDX-License-Identifier: Apache-2.0
"""A lock on several Redis servers, of which most have to grant it: put to it are the scenarios of quorum/.

argv[1] is how: "right" asks all and needs more than half; "half" is content with one of three; "one" asks a single
server, each caller another one.
"""

import os
import sys
import time
import uuid

import redis
from lockkeeper_wire import serve

HOW = sys.argv[1] if len(sys.argv) > 1 else "right"
LASTS = 10.0
RELEASE = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0"


def setup(key):
    servers = [redis.Redis.from_url(url) for url in os.environ["REDIS_URLS"].split(",")]
    needed = 1 if HOW in ("half", "one") else len(servers) // 2 + 1
    if HOW == "one":
        servers = [servers[int(os.environ["LOCKKEEPER_CALLER"]) % len(servers)]]
    token = [""]

    def count(ask):
        """How many say yes. Whoever does not answer does not count."""
        yes = 0
        for server in servers:
            try:
                yes += 1 if ask(server) else 0
            except redis.RedisError:
                pass
        return yes

    def release():
        return count(lambda server: server.eval(RELEASE, 1, key, token[0])) >= needed

    def acquire():
        token[0] = str(uuid.uuid4())
        until = time.time() + LASTS
        granted = count(lambda server: server.set(key, token[0], nx=True, px=int(LASTS * 1000)))
        if granted >= needed and time.time() < until:
            return True
        release()
        return False

    return {"acquire": acquire, "release": release}


serve(setup)
