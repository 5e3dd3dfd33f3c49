# SPDX-License-Identifier: Apache-2.0
"""Locks of several places over a plain socket, one script each: argv[1] is the kind and, with a '-', the number
of places.

right   a set of holders, without an end
twice   as right, but a release frees the place of another, too
again   as right, and its holder is granted it once more
blind   a lease of one place; a release deletes it whoever has it, and says done"""

import os

from raw_lock import Redis, main

TAKE = "if redis.call('SCARD', KEYS[1]) < tonumber(ARGV[2]) then return redis.call('SADD', KEYS[1], ARGV[1]) end return 0"
TAKE_AGAIN = (
    "if redis.call('SISMEMBER', KEYS[1], ARGV[1]) == 1 then redis.call('INCR', 'count') return 1 end "
    + TAKE.replace("return redis.call('SADD', KEYS[1], ARGV[1])",
                   "redis.call('SET', 'count', 1) return redis.call('SADD', KEYS[1], ARGV[1])"))
GIVE_BACK = "return redis.call('SREM', KEYS[1], ARGV[1])"
GIVE_TWO_BACK = "redis.call('SPOP', KEYS[1]) " + GIVE_BACK
GIVE_ONE_OF_MANY = "if redis.call('DECR', 'count') == 0 then redis.call('SREM', KEYS[1], ARGV[1]) end return 1"


class Lock:
    def __init__(self, kind):
        self.kind, _, places = kind.partition("-")
        self.places = int(places or 1)
        self.redis = Redis()
        self.owner = os.environ["LOCKKEEPER_CALLER"]

    def misbehave(self):
        return None

    def acquire(self, key):
        if self.kind == "blind":
            return "ok" if self.redis.ask("SET", key, self.owner, "NX", "PX", 10_000) == b"+OK" else "refused"
        script = TAKE_AGAIN if self.kind == "again" else TAKE
        return "ok" if self.redis.ask("EVAL", script, 1, key, self.owner, self.places) == b":1" else "refused"

    def release(self, key):
        if self.kind == "blind":
            self.redis.ask("DEL", key)
            return "done"
        script = {"twice": GIVE_TWO_BACK, "again": GIVE_ONE_OF_MANY}.get(self.kind, GIVE_BACK)
        return "ok" if self.redis.ask("EVAL", script, 1, key, self.owner) == b":1" else "lost"


if __name__ == "__main__":
    main(Lock)
