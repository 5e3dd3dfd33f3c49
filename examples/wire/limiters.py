# SPDX-License-Identifier: Apache-2.0
"""Rate limiters on redis-py, so many grants in ten seconds (examples/wire/limiters/): argv[1] says
which, argv[2] how many.

    set_nx_px        one: SET NX with an end
    log              a sorted set, looked at and written by a script
    window           windows that follow each other: up to twice as many at the border of two

Planted bugs, each from real limiters:

    incr_expire      INCR, and EXPIRE with a second request: who dies between them leaves no end
    incr_expire_all  EXPIRE whenever somebody asks: who is refused again and again waits for ever
    check_then_add   the sorted set is looked at, and written with a second request
    add_then_count   the sorted set has also those that are refused
    half_window      the script forgets after five seconds
    start_refills    each start of a client forgets what all were granted
"""

import os
import sys
import uuid

import redis
from lockkeeper_wire import serve

KIND = sys.argv[1]
GRANTS = int(sys.argv[2])
TEN_SECONDS = 10_000
MOMENT = "local t = redis.call('TIME'); local now = t[1] * 1000 + math.floor(t[2] / 1000) "
LOG = (
    MOMENT
    + "redis.call('ZREMRANGEBYSCORE', KEYS[1], 0, now - ARGV[1]) "
    + "if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[2]) then return 0 end "
    + "redis.call('ZADD', KEYS[1], now, ARGV[3]) redis.call('PEXPIRE', KEYS[1], ARGV[1]) return 1"
)
WINDOW = (
    MOMENT
    + "local key = KEYS[1] .. ':' .. math.floor(now / ARGV[1]) "
    + "local count = redis.call('INCR', key) redis.call('PEXPIRE', key, ARGV[1]) "
    + "if count > tonumber(ARGV[2]) then return 0 end return 1"
)


class Limiter:
    def __init__(self, key):
        self.redis = redis.Redis.from_url(os.environ["REDIS_URL"])
        self.key = key

    def set_nx_px(self):
        return bool(self.redis.set(self.key, 1, nx=True, px=TEN_SECONDS))

    def script(self, text, length):
        return bool(self.redis.eval(text, 1, self.key, length, GRANTS, uuid.uuid4().hex))

    def log(self):
        return self.script(LOG, TEN_SECONDS)

    def half_window(self):
        return self.script(LOG, TEN_SECONDS // 2)

    def window(self):
        return self.script(WINDOW, TEN_SECONDS)

    def incr_expire(self):
        count = self.redis.incr(self.key)
        if count == 1 or KIND == "incr_expire_all":
            self.redis.pexpire(self.key, TEN_SECONDS)
        return count <= GRANTS

    # As diskcache 5.4.0's throttle does for the processes that share it.
    def start(self):
        if KIND == "start_refills":
            self.redis.delete(self.key)

    start_refills = log

    def now(self):
        seconds, micros = self.redis.time()
        return seconds * 1000 + micros // 1000

    def check_then_add(self):
        now = self.now()
        self.redis.zremrangebyscore(self.key, 0, now - TEN_SECONDS)
        if self.redis.zcard(self.key) >= GRANTS:
            return False
        self.redis.zadd(self.key, {uuid.uuid4().hex: now})
        return True

    def add_then_count(self):
        now = self.now()
        with self.redis.pipeline() as together:
            together.zremrangebyscore(self.key, 0, now - TEN_SECONDS)
            together.zadd(self.key, {uuid.uuid4().hex: now})
            together.zcard(self.key)
            count = together.execute()[-1]
        return count <= GRANTS


def setup(key):
    limiter = Limiter(key)
    limiter.start()
    return {"acquire": getattr(limiter, "incr_expire" if KIND == "incr_expire_all" else KIND)}


serve(setup)
