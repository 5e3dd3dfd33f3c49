# SPDX-License-Identifier: Apache-2.0
"""A lock of several places over a plain socket, a set of holders without an end: argv[1] is their number."""

import os

from raw_lock import Redis, main

TAKE = "if redis.call('SCARD', KEYS[1]) < tonumber(ARGV[2]) then return redis.call('SADD', KEYS[1], ARGV[1]) end return 0"
GIVE_BACK = "return redis.call('SREM', KEYS[1], ARGV[1])"


class Lock:
    def __init__(self, places):
        self.places = int(places)
        self.redis = Redis()
        self.owner = os.environ["LOCKKEEPER_CALLER"]

    def misbehave(self):
        return None

    def acquire(self, key):
        return "ok" if self.redis.ask("EVAL", TAKE, 1, key, self.owner, self.places) == b":1" else "refused"

    def release(self, key):
        return "ok" if self.redis.ask("EVAL", GIVE_BACK, 1, key, self.owner) == b":1" else "lost"


if __name__ == "__main__":
    main(Lock)
