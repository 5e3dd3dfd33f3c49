# SPDX-License-Identifier: Apache-2.0
"""Locks that look at their own clocks, right and wrong ones: argv[1] says which.

    wall        ends ten seconds after the call, by the wall clock
    steady      the same by the steady clock
    margin      the same, and a tenth earlier
    sleeps      waits for half a second before it asks
    sleeps_until   waits until a moment of the wall clock, ten seconds later
"""

import ctypes
import time

import raw_lock

LEASE = 10


class TimeSpec(ctypes.Structure):
    _fields_ = [("seconds", ctypes.c_long), ("nanoseconds", ctypes.c_long)]


def sleep_until(moment):
    at = TimeSpec(int(moment), int(moment % 1 * 1e9))
    absolute = 1
    ctypes.CDLL(None).clock_nanosleep(time.CLOCK_REALTIME, absolute, ctypes.byref(at), None)


class ClockLock(raw_lock.Lock):
    def acquire(self, key):
        wall, steady = time.time(), time.monotonic()
        if self.kind == "sleeps":
            time.sleep(0.5)
        if self.kind == "sleeps_until":
            sleep_until(wall + 10)
            return f"ok until={time.time() + LEASE:.3f}"
        if self.redis.ask("SET", key, self.token, "NX", "PX", LEASE * 1000) != b"+OK":
            return "refused"
        if self.kind == "wall":
            return f"ok until={wall + LEASE:.3f}"
        lease = LEASE * 0.9 if self.kind == "margin" else LEASE
        return f"ok for={steady + lease - time.monotonic():.3f}"


raw_lock.main(ClockLock)
