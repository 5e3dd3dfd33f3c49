# SPDX-License-Identifier: Apache-2.0
"""Locks whose objects share the connection of their process, as in an application: argv[1] says what is wrong.

    leaks         no end; an object that goes gives back what it held, whoever's it is
    ends          the same with an end: right
    counts        a counter of three places; an object that goes counts down
    sleeps_first  as leaks, and a thread gives back, a moment after the connection is lost
    stuck         right; to begin anew the process waits for ever
    dies_anew     right; to begin anew it dies
    says_anew     right; to begin anew it says something else
    always_says   the same, in fresh processes, too
    numbers       right; its value is a number that no process gives twice
    takes_anew    right; from the second run of a process on it takes what others hold
    marks         right: who is refused marks that, answers, and takes the mark away; while there is one nobody is
                  granted; "marks3": of three places
    marks_on      the same, and the mark stays; "marks_on3": of three places
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
        self.is_kept = is_kept = Lock.objects > 2  # the third one is that of a second run
        if kind == "stuck" and is_kept:
            os.read(os.pipe()[0], 1)
        if kind == "dies_anew" and is_kept:
            os._exit(3)
        if (kind == "says_anew" and is_kept) or (kind == "always_says" and Lock.objects > 1):
            os.write(1, b"error of before\n")

    def misbehave(self):
        return None

    def watch(self, watched):
        try:
            watched.reply()
        except OSError:
            time.sleep(0.1)
            self.give_back()

    def acquire(self, key):
        if self.kind.startswith("marks"):
            return self.acquire_or_mark(key)
        if self.kind == "counts":
            granted = ask("EVAL", TAKE, 1, key) != b":0"
        else:
            has_end = self.kind not in ("leaks", "sleeps_first")
            value = Lock.objects if self.kind == "numbers" else 1
            takes = self.kind == "takes_anew" and self.is_kept
            options = ([] if takes else ["NX"]) + (["PX", 10_000] if has_end else [])
            granted = ask("SET", key, value, *options) == b"+OK"
        self.key = key if granted else None
        if granted and self.kind == "sleeps_first":
            watched = Redis()
            watched.ask("SUBSCRIBE", "nothing")
            threading.Thread(target=self.watch, args=(watched,), daemon=True).start()
        return "ok" if granted else "refused"

    def acquire_or_mark(self, key):
        if ask("GET", key + ":marks") not in (None, b"0"):
            return "refused"
        for place in range(3 if self.kind.endswith("3") else 1):
            if ask("SET", f"{key}:{place}", 1, "NX", "PX", 10_000) == b"+OK":
                self.key = f"{key}:{place}"
                return "ok"
        ask("INCR", key + ":marks")
        if not self.kind.startswith("marks_on"):
            threading.Thread(target=Redis().ask, args=("DECR", key + ":marks"), daemon=True).start()
        return "refused"

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
