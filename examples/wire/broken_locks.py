# SPDX-License-Identifier: Apache-2.0
"""Locks with the mistakes that are made most, on redis-py: argv[1] says which.

    release_of_anybody    SET NX with an end; the release deletes whoever's key it is
    check_and_delete      the release compares and deletes with two requests
    set_then_expire       the key and its end are set by two requests
    end_from_answer       the lock says that it is held for ten seconds from the answer on
    end_from_wall_clock   the lock counts to its end on a clock that may be set back
    renewal_of_anybody    a renewal extends whoever's key it is
    get_and_set           looks whether the key is there, and sets it with a second request
    retried_counter       a counter, and a connection that asks again when an answer is lost
    script_loaded_once    no end, and a release by a script that the server is given at the start
    token_of_worker       the token is the worker's name, which it has again after a restart
"""

import os
import sys
import time
import uuid

import redis
from lockkeeper_wire import serve
from redis.backoff import NoBackoff
from redis.retry import Retry

TEN_SECONDS = 10_000
COMPARE_AND = (
    "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call({}) else return 0 end"
)
DELETE = COMPARE_AND.format("'DEL', KEYS[1]")
EXTEND = COMPARE_AND.format(f"'PEXPIRE', KEYS[1], {TEN_SECONDS}")


def connect(**options):
    return redis.Redis.from_url(os.environ["REDIS_URL"], **options)


class Lock:
    """Right: a token, and scripts that compare it."""

    def __init__(self, key):
        self.redis = connect()
        self.key = key
        self.token = uuid.uuid4().hex

    def acquire(self):
        return bool(self.redis.set(self.key, self.token, nx=True, px=TEN_SECONDS))

    def release(self):
        return bool(self.redis.eval(DELETE, 1, self.key, self.token))

    def renew(self):
        return bool(self.redis.eval(EXTEND, 1, self.key, self.token))


class ReleaseOfAnybody(Lock):
    def release(self):
        self.redis.delete(self.key)


class CheckAndDelete(Lock):
    def release(self):
        if self.redis.get(self.key) != self.token.encode():
            return False
        self.redis.delete(self.key)
        return True


class SetThenExpire(Lock):
    def acquire(self):
        if not self.redis.setnx(self.key, self.token):
            return False
        self.redis.pexpire(self.key, TEN_SECONDS)
        return True


class EndFromAnswer(Lock):
    def acquire(self):
        return super().acquire() and time.time() + TEN_SECONDS / 1000


class EndFromWallClock(Lock):
    def acquire(self):
        end = time.time() + TEN_SECONDS / 1000
        return super().acquire() and end


class RenewalOfAnybody(Lock):
    def renew(self):
        return bool(self.redis.pexpire(self.key, TEN_SECONDS))


class GetAndSet(Lock):
    def acquire(self):
        if self.redis.get(self.key):
            return False
        return bool(self.redis.set(self.key, self.token, px=TEN_SECONDS))


class RetriedCounter(Lock):
    def __init__(self, key):
        super().__init__(key)
        lost = [redis.exceptions.ConnectionError]
        self.redis = connect(retry=Retry(NoBackoff(), 1), retry_on_error=lost)

    def acquire(self):
        if self.redis.incr(self.key) == 1:
            return True
        self.redis.decr(self.key)
        return False

    def release(self):
        self.redis.decr(self.key)


class ScriptLoadedOnce(Lock):
    def __init__(self, key):
        super().__init__(key)
        self.script = self.redis.script_load(DELETE)

    def acquire(self):
        return bool(self.redis.set(self.key, self.token, nx=True))

    def release(self):
        return bool(self.redis.evalsha(self.script, 1, self.key, self.token))


class TokenOfWorker(Lock):
    def __init__(self, key):
        super().__init__(key)
        self.token = "worker " + os.environ["LOCKKEEPER_CALLER"]

    def acquire(self):
        return super().acquire() or self.redis.get(self.key) == self.token.encode()


LOCKS = {
    "right": Lock,
    "release_of_anybody": ReleaseOfAnybody,
    "check_and_delete": CheckAndDelete,
    "set_then_expire": SetThenExpire,
    "end_from_answer": EndFromAnswer,
    "end_from_wall_clock": EndFromWallClock,
    "renewal_of_anybody": RenewalOfAnybody,
    "get_and_set": GetAndSet,
    "retried_counter": RetriedCounter,
    "script_loaded_once": ScriptLoadedOnce,
    "token_of_worker": TokenOfWorker,
}


def setup(key):
    lock = LOCKS[sys.argv[1]](key)
    return {"acquire": lock.acquire, "release": lock.release, "renew": lock.renew}


serve(setup)
