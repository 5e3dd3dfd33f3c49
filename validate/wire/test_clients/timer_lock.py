# SPDX-License-Identifier: Apache-2.0
"""Clients with timers of their process: argv[1] says which.

    setitimer   waits for half a second, and then twice for a quarter
    alarm       waits for two seconds
    timerfd     the same as setitimer, by a timerfd that it reads
    poll        the same by a timerfd that it polls, and lets it end twice before it reads it
    forgets     closes a timerfd and takes an alarm back: nothing ends
    futex       waits by syscall() for a fifth of a second, and then until a moment, as C++ does
    socket      waits for a socket with SO_RCVTIMEO
    mutex       waits for a mutex that another thread has, with a limit, and until it is given back
    signals     a timer of timer_create that sends a signal, twice
    threads     one that starts a thread each time, twice
    deleted     one that is deleted: nothing ends
    joins       waits with a limit for the end of a thread
    watchdog    takes the lock for ten seconds and says after eight that it is lost
    no_watchdog the same, and does not say so
    gives_up    waits for a reply for two seconds, and leaves what it may be given later
    gives_back  the same, and deletes what it may have been given, which may come later still
    gives_lease the same as gives_up with a lock that ends by itself
"""

import ctypes
import os
import select
import signal
import socket
import struct
import threading
import time

import raw_lock

libc = ctypes.CDLL(None, use_errno=True)


class TimeSpec(ctypes.Structure):
    _fields_ = [("seconds", ctypes.c_long), ("nanoseconds", ctypes.c_long)]


class TimerSpec(ctypes.Structure):
    _fields_ = [("interval", TimeSpec), ("value", TimeSpec)]


class SigEvent(ctypes.Structure):
    _fields_ = [("value", ctypes.c_void_p), ("signal", ctypes.c_int), ("notify", ctypes.c_int),
                ("function", ctypes.c_void_p), ("padding", ctypes.c_char * 40)]


CALL = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
ROUTINE = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)
SYS_FUTEX = 202 if os.uname().machine == "x86_64" else 98
WAIT_PRIVATE, WAIT_BITSET_PRIVATE = 128, 9 | 128


def start(event):
    """A timer of half a second, and then of a quarter again and again."""
    timer = ctypes.c_void_p()
    libc.timer_create(time.CLOCK_MONOTONIC, ctypes.byref(event), ctypes.byref(timer))
    spec = TimerSpec(TimeSpec(0, 250_000_000), TimeSpec(0, 500_000_000))
    libc.timer_settime(timer, 0, ctypes.byref(spec), None)
    return timer


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
        if self.kind.endswith("watchdog"):
            return self.acquire_for_a_while(key)
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

    def acquire_for_a_while(self, key):
        """By its own words for an hour."""
        if self.redis.ask("SET", key, self.token, "NX", "PX", 10_000) != b"+OK":
            return "refused"
        if self.kind == "watchdog":
            event = SigEvent(signal=signal.SIGUSR1)
            signal.signal(signal.SIGUSR1, lambda *_: os.write(1, f"! lost {key}\n".encode()))
            timer = ctypes.c_void_p()
            libc.timer_create(time.CLOCK_MONOTONIC, ctypes.byref(event), ctypes.byref(timer))
            spec = TimerSpec(TimeSpec(0, 0), TimeSpec(8, 0))
            libc.timer_settime(timer, 0, ctypes.byref(spec), None)
        return "ok for=3600"

    def futex(self):
        word = ctypes.c_int(7)
        length = TimeSpec(0, 200_000_000)
        ends = [libc.syscall(SYS_FUTEX, ctypes.byref(word), WAIT_PRIVATE, 7, ctypes.byref(length), 0, 0)]
        ends.append(ctypes.get_errno())
        at = time.monotonic() + 0.3
        moment = TimeSpec(int(at), int(at % 1 * 1e9))
        libc.syscall(SYS_FUTEX, ctypes.byref(word), WAIT_BITSET_PRIVATE, 7, ctypes.byref(moment), 0, -1)
        ends.append(ctypes.get_errno())
        libc.syscall(SYS_FUTEX, ctypes.byref(word), WAIT_PRIVATE, 8, ctypes.byref(length), 0, 0)
        return ends + [ctypes.get_errno()]

    def socket(self):
        one, _other = socket.socketpair()
        one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, struct.pack("ll", 1, 500_000))
        try:
            return one.recv(1)
        except BlockingIOError:
            return struct.unpack("ll", one.getsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, 16))

    def mutex(self):
        mutex = ctypes.create_string_buffer(64)
        libc.pthread_mutex_init(mutex, None)
        gives, given = threading.Event(), threading.Event()

        def hold():
            libc.pthread_mutex_lock(mutex)
            given.set()
            gives.wait()
            time.sleep(0.25)
            libc.pthread_mutex_unlock(mutex)

        holder = threading.Thread(target=hold)
        holder.start()
        given.wait()
        ends = []
        for seconds in (0.5, 9):
            at = time.time() + seconds
            moment = TimeSpec(int(at), int(at % 1 * 1e9))
            ends.append(libc.pthread_mutex_timedlock(mutex, ctypes.byref(moment)))
            gives.set()
        holder.join()
        return ends

    def signals(self):
        got = []
        signal.signal(signal.SIGUSR1, lambda number, _: got.append(number))
        event = SigEvent(value=5, signal=signal.SIGUSR1, notify=0)
        timer = start(event)
        while len(got) < 2:
            signal.pause()
        libc.timer_delete(timer)
        return len(got)

    def threads(self):
        got = []
        ends = threading.Semaphore(0)
        call = CALL(lambda value: (got.append(value), ends.release()) and None)
        event = SigEvent(value=5, notify=2, function=ctypes.cast(call, ctypes.c_void_p))
        timer = start(event)
        ends.acquire()
        ends.acquire()
        libc.timer_delete(timer)
        return got

    def deleted(self):
        libc.timer_delete(start(SigEvent(signal=signal.SIGUSR1)))
        time.sleep(5)
        return "nothing"

    def joins(self):
        thread = ctypes.c_ulong()
        routine = ROUTINE(lambda _: time.sleep(9))
        libc.pthread_create(ctypes.byref(thread), None, routine, None)
        moment = TimeSpec(int(time.time()) + 1, 0)
        return libc.pthread_timedjoin_np(thread, None, ctypes.byref(moment))

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
