# SPDX-License-Identifier: Apache-2.0
"""Locks of which one call takes several places, or several keys, right and wrong ones: argv[1] says which.

permits       ten places, of which a call takes its weight
one_each      each call takes one place, whatever its weight
one_back      a release gives back one place
strict        the last place is never given
keys          a call takes all of its keys, or none
first_key     a call takes its first key
one_by_one    a call takes one key after the other, and keeps what it has where it meets a key that is taken
last_left     a release gives back all keys but the last
"""

import os

from raw_lock import Redis, main

PLACES = 10
TAKE = """local taken = 0
for _, weight in ipairs(redis.call('HVALS', KEYS[1])) do taken = taken + weight end
if taken + ARGV[2] > tonumber(ARGV[3]) then return 0 end
return redis.call('HSETNX', KEYS[1], ARGV[1], ARGV[2])"""
LEAVE = """local left = redis.call('HINCRBY', KEYS[1], ARGV[1], -ARGV[2])
if left <= 0 then redis.call('HDEL', KEYS[1], ARGV[1]) end
return 1"""
FREE = """for _, key in ipairs(KEYS) do
  if redis.call('GET', key) ~= ARGV[1] then return 0 end
end
return redis.call('DEL', unpack(KEYS))"""


def named(more):
    said = dict(part.split("=") for part in more)
    return int(said.get("weight", 1)), said.get("with", "").split(",") if "with" in said else []


class Lock:
    def __init__(self, kind):
        self.kind = kind
        self.redis = Redis()
        self.owner = os.environ["LOCKKEEPER_CALLER"]

    def misbehave(self):
        return None

    def has_permits(self):
        return self.kind in ("permits", "one_each", "one_back", "strict")

    def acquire(self, key, *more):
        weight, others = named(more)
        if self.has_permits():
            weight = 1 if self.kind == "one_each" else weight
            places = PLACES - 1 if self.kind == "strict" else PLACES
            return "ok" if self.redis.ask("EVAL", TAKE, 1, key, self.owner, weight, places) == b":1" else "refused"
        if self.kind == "one_by_one":
            for one in [key, *others]:
                if self.redis.ask("SETNX", one, self.owner) != b":1":
                    return "refused"
            return "ok"
        keys = [key] if self.kind == "first_key" else [key, *others]
        words = [word for one in keys for word in (one, self.owner)]
        return "ok" if self.redis.ask("MSETNX", *words) == b":1" else "refused"

    def release(self, key, *more):
        weight, others = named(more)
        if self.has_permits():
            weight = 1 if self.kind in ("one_each", "one_back") else weight
            return "ok" if self.redis.ask("EVAL", LEAVE, 1, key, self.owner, weight) == b":1" else "lost"
        keys = [key] if self.kind == "first_key" else [key, *others]
        keys = keys[:-1] if self.kind == "last_left" and others else keys
        return "ok" if self.redis.ask("EVAL", FREE, len(keys), *keys, self.owner)[:1] == b":" else "lost"


if __name__ == "__main__":
    main(Lock)
