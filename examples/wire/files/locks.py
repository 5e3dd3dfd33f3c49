#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Locks on files, right and wrong, for `lockkeeper validate --wire files`: argv[1] says which. A second argument, "left":
a process has died an hour ago and left its lock.

    excl          open(O_CREAT | O_EXCL), and unlink: a holder that dies leaves its file
    excl_del      the same, and an object that goes removes its file
    check         wrong: looks whether there is a file, then creates it
    mkdir         mkdir and rmdir
    link          a file of its own, and a link to it
    flock         flock on a file that stays; it ends with its process
    flock_waits   the same, and waits for it
    flock_unlink  wrong: whoever gives the lock back removes the file, and another waits for it
    fcntl         fcntl, as lockf does it
    fcntl_waits   the same, and waits for it
    stale         wrong: a file that is older than ten seconds is removed, whoever's it is by then
    stale_rename  wrong in the same way, and the old file is renamed before it is removed
    late_unlink   wrong: a holder that is late removes the file of the next one
"""

import fcntl
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from lockkeeper_wire import serve  # noqa: E402

FOLDER = os.environ["LOCKKEEPER_FILES"]
LASTS = 10  # seconds, of what may be stale


class Excl:
    def __init__(self, key):
        self.path = os.path.join(FOLDER, key + ".lock")

    def acquire(self):
        try:
            os.close(os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
        except FileExistsError:
            return False
        return True

    def release(self):
        os.unlink(self.path)
        return True


class ExclDel(Excl):
    """Right but for a holder that dies: an object that goes gives its lock back."""

    holds = False

    def acquire(self):
        self.holds = super().acquire()
        return self.holds

    def release(self):
        self.holds = False
        return super().release()

    def __del__(self):
        if self.holds:
            super().release()


class Check(Excl):
    def acquire(self):
        if os.path.exists(self.path):
            return False
        os.close(os.open(self.path, os.O_CREAT | os.O_WRONLY))
        return True


class Mkdir(Excl):
    def acquire(self):
        try:
            os.mkdir(self.path)
        except FileExistsError:
            return False
        return True

    def release(self):
        os.rmdir(self.path)
        return True


class Link(Excl):
    def acquire(self):
        own = f"{self.path}.{os.getpid()}"
        os.close(os.open(own, os.O_CREAT | os.O_WRONLY))
        try:
            os.link(own, self.path)
            return True
        except FileExistsError:
            return False
        finally:
            os.unlink(own)


class Flock(Excl):
    waits = False

    def acquire(self):
        self.file = os.open(self.path, os.O_CREAT | os.O_RDWR)
        try:
            fcntl.flock(self.file, fcntl.LOCK_EX | (0 if self.waits else fcntl.LOCK_NB))
        except BlockingIOError:
            os.close(self.file)
            return False
        return True

    def release(self):
        os.close(self.file)
        return True


class FlockWaits(Flock):
    waits = True


class FlockUnlink(FlockWaits):
    def release(self):
        os.unlink(self.path)
        os.close(self.file)
        return True


class Fcntl(Flock):
    def acquire(self):
        self.file = os.open(self.path, os.O_CREAT | os.O_RDWR)
        try:
            fcntl.lockf(self.file, fcntl.LOCK_EX | (0 if self.waits else fcntl.LOCK_NB))
        except BlockingIOError:
            os.close(self.file)
            return False
        return True


class FcntlWaits(Fcntl):
    waits = True


class Stale(Excl):
    def acquire(self):
        if super().acquire():
            return True
        try:
            if os.stat(self.path).st_mtime + LASTS > time.time():
                return False
            self.remove()
        except FileNotFoundError:
            return False
        return super().acquire()

    def remove(self):
        os.unlink(self.path)


class StaleRename(Stale):
    def remove(self):
        away = f"{self.path}.{os.getpid()}"
        os.rename(self.path, away)
        os.unlink(away)


class LateUnlink(Stale):
    def acquire(self):
        return super().acquire() and time.time() + LASTS

    def release(self):
        try:
            os.unlink(self.path)
        except FileNotFoundError:
            return False
        return True


LOCKS = {
    "excl": Excl,
    "excl_del": ExclDel,
    "check": Check,
    "mkdir": Mkdir,
    "link": Link,
    "flock": Flock,
    "flock_waits": FlockWaits,
    "flock_unlink": FlockUnlink,
    "fcntl": Fcntl,
    "fcntl_waits": FcntlWaits,
    "stale": Stale,
    "stale_rename": StaleRename,
    "late_unlink": LateUnlink,
}


def setup(key):
    lock = LOCKS[sys.argv[1]](key)
    return {"acquire": lock.acquire, "release": lock.release}


def leave():
    setup("db")["acquire"]()
    path = os.path.join(FOLDER, "db.lock")
    os.utime(path, (time.time() - 3600, time.time() - 3600))


serve(setup, leave if "left" in sys.argv else None)
