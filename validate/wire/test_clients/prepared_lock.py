# SPDX-License-Identifier: Apache-2.0
"""Locks that need something that was made before: argv[1] says what, "in_run_..." makes it itself, each time.

    function    a function of the server takes the lock
    user        a user of its own, who may do all
    keyspace    messages of the server when a key goes
    element     the one element of a list
    unawaited   the same, and nobody awaits the answer to what makes it
    many        it awaits none of 300 answers
"""

import time

from raw_lock import Redis, main

LIBRARY = """#!lua name=locks
redis.register_function('take', function(keys, args) return redis.call('SETNX', keys[1], args[1]) end)"""


class PreparedLock:
    def __init__(self, kind):
        self.kind = kind
        self.what = kind.removeprefix("in_run_")
        self.redis = Redis()
        self.ears = Redis()
        self.is_made = False

    def prepare(self):
        if self.what == "function":
            answer = self.redis.ask("FUNCTION", "LOAD", LIBRARY)
        elif self.what == "user":
            self.redis.ask("ACL", "SETUSER", "worker", "on", ">secret", "~*", "&*", "+@all")
            answer = self.redis.ask("ACL", "SETUSER", "counted", "off", "~" + str(int(time.time())))
        elif self.what == "keyspace":
            answer = self.redis.ask("CONFIG", "SET", "notify-keyspace-events", "Kg")
        elif self.what == "unawaited":
            self.redis.send(("RPUSH", "db", "t"))
            return "ok"
        elif self.what == "many":
            self.redis.send(*[("RPUSH", "db", "t")] * 300)
            return "ok"
        else:
            answer = self.redis.ask("RPUSH", "db", "t")
        return f"error {answer}" if answer.startswith(b"-") else "ok"

    def acquire(self, key):
        if self.kind != self.what and not self.is_made:
            self.is_made = True
            made = self.prepare()
            if made != "ok" and "already exists" not in made:
                return made
        if self.what == "function":
            answer = self.redis.ask("FCALL", "take", 1, key, 1)
            return "ok" if answer == b":1" else "refused" if answer == b":0" else f"error {answer}"
        if self.what in ("element", "unawaited"):
            return "ok" if self.redis.ask("LPOP", key) == b"t" else "refused"
        if self.what == "user" and self.redis.ask("AUTH", "worker", "secret") != b"+OK":
            return "error no such user"
        if self.what == "keyspace":
            self.ears.ask("SUBSCRIBE", f"__keyspace@0__:{key}")
        while self.redis.ask("SETNX", key, 1) != b":1":
            if self.what == "user":
                return "refused"
            self.ears.reply()
        return "ok"

    def release(self, key):
        if self.what in ("element", "unawaited"):
            self.redis.ask("RPUSH", key, "t")
        else:
            self.redis.ask("DEL", key)
        return "ok"

    def misbehave(self):
        return None


if __name__ == "__main__":
    main(PreparedLock)
