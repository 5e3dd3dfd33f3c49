# SPDX-License-Identifier: Apache-2.0
"""Clients with timers of their process: argv[1] says which.

    setitimer   waits for half a second, and then twice for a quarter
    alarm       waits for two seconds
    timerfd     the same as setitimer, by a timerfd that it reads
    poll        the same by a timerfd that it polls, and lets it end twice before it reads it
    forgets     closes a timerfd and takes an alarm back: nothing ends
    gives_up    waits for a reply for two seconds, and leaves what it may be given later
    gives_back  the same, and deletes what it may have been given, which may come later still
    gives_lease the same as gives_up with a lock that ends by itself
"""

import ctypes
import os
import select
import signal
import time

import raw_lock

libc = ctypes.CDLL(None)


class TimeSpec(ctypes.Structure):
    _fields_ = [("seconds", ctypes.c_long), ("nanoseconds", ctypes.c_long)]


class TimerSpec(ctypes.Structure):
    _fields_ = [("interval", TimeSpec), ("value", TimeSpec)]


def timerfd(value, interval):
    file = libc.timerfd_create(time.CLOCK_MONOTONIC, 0)
    spec = TimerSpec(TimeSpec(0, int(interval * 1e9)), TimeSpec(0, int(value * 1e9)))
    libc.timerfd_settime(file, 0, ctypes.byref(spec), None)
    return file


def ends_of(file):
    return int.from_bytes(os.read(file, 8), "little")


class GaveUp(Exception):
    pass


def give_up(*_):
    raise GaveUp


class TimerLock(raw_lock.Lock):
    def acquire(self, key):
        if self.kind.startswith("gives"):
            return self.acquire_in_time(key)
        signal.signal(signal.SIGALRM, lambda *_: None)
        start = time.monotonic()
        seen = getattr(self, self.kind)()
        return f"error after {time.monotonic() - start:.3f} s: {seen}"

    def setitimer(self):
        signal.setitimer(signal.ITIMER_REAL, 0.5, 0.25)
        for _ in range(3):
            signal.pause()
        left, interval = signal.setitimer(signal.ITIMER_REAL, 0)
        return f"{left:.2f} {interval:.2f}"

    def alarm(self):
        signal.alarm(2)
        signal.pause()
        return signal.alarm(0)

    def timerfd(self):
        file = timerfd(0.5, 0.25)
        ends = [ends_of(file) for _ in range(3)]
        os.close(file)
        return ends

    def poll(self):
        file = timerfd(0.5, 0.25)
        poll = select.poll()
        poll.register(file, select.POLLIN)
        poll.poll()
        time.sleep(0.3)
        ends = ends_of(file)
        ready = [ends, len(poll.poll(0)), len(select.select([file], [], [])[0])]
        os.close(file)
        return ready

    def forgets(self):
        os.close(timerfd(0.5, 0.25))
        signal.alarm(2)
        left = signal.alarm(0)
        time.sleep(5)
        return left

    def acquire_in_time(self, key):
        signal.signal(signal.SIGALRM, give_up)
        signal.alarm(2)
        try:
            end = ("PX", 10_000) if self.kind == "gives_lease" else ()
            granted = self.redis.ask("SET", key, self.token, "NX", *end) == b"+OK"
        except GaveUp:
            self.redis.socket.close()
            self.redis.socket = None
            if self.kind == "gives_back":
                self.redis.ask("EVAL", raw_lock.RELEASE, 1, key, self.token)
            return "error gave up"
        finally:
            signal.alarm(0)
        return "ok" if granted else "refused"


raw_lock.main(TimerLock)
