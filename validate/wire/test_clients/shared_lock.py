# SPDX-License-Identifier: Apache-2.0
"""Locks whose objects share the connection of their process, as in an application: argv[1] says what is wrong.

    leaks         no end; an object that goes gives back what it held, whoever's it is
    ends          the same with an end: right
    counts        a counter of three places; an object that goes counts down
    sleeps_first  as leaks, and a thread gives back, a moment after the connection is lost
    stuck         right; to begin anew the process waits for ever
"""

import os
import threading
import time

from raw_lock import Redis, main

TAKE = "if tonumber(redis.call('GET', KEYS[1]) or '0') < 3 then return redis.call('INCR', KEYS[1]) end return 0"
REDIS = Redis()


def ask(*words):
    """By a new connection where the old one is lost."""
    try:
        return REDIS.ask(*words)
    except OSError:
        return REDIS.ask(*words)


class Lock:
    objects = 0

    def __init__(self, kind):
        Lock.objects += 1
        self.kind = kind
        self.key = None
        if kind == "stuck" and Lock.objects > 2:  # the third one is that of a second run
            os.read(os.pipe()[0], 1)

    def misbehave(self):
        return None

    def watch(self, watched):
        try:
            watched.reply()
        except OSError:
            time.sleep(0.1)
            self.give_back()

    def acquire(self, key):
        if self.kind == "counts":
            granted = ask("EVAL", TAKE, 1, key) != b":0"
        else:
            granted = ask("SET", key, 1, "NX", *(["PX", 10_000] if self.kind in ("ends", "stuck") else [])) == b"+OK"
        self.key = key if granted else None
        if granted and self.kind == "sleeps_first":
            watched = Redis()
            watched.ask("SUBSCRIBE", "nothing")
            threading.Thread(target=self.watch, args=(watched,), daemon=True).start()
        return "ok" if granted else "refused"

    def release(self, _key):
        self.give_back()
        return "ok"

    def give_back(self):
        if self.key is not None:
            ask("DECR" if self.kind == "counts" else "DEL", self.key)
        self.key = None

    def __del__(self):
        if self.kind in ("leaks", "ends", "counts"):
            self.give_back()


if __name__ == "__main__":
    main(Lock)
