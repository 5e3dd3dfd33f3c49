#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Locks on files of Debian, under `lockkeeper validate --wire files`: on_files.py KIND."""

import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "wire"))

from lockkeeper_wire import serve  # noqa: E402

KIND = sys.argv[1]


def of_filelock(name):
    import filelock

    def made(path):
        lock = getattr(filelock, name)(path)

        def acquire():
            try:
                lock.acquire(timeout=0)
            except filelock.Timeout:
                return False
            return True

        return {"acquire": acquire, "release": lock.release}

    return made


def of_fasteners(path):
    import fasteners

    lock = fasteners.InterProcessLock(path)
    return {"acquire": lambda: lock.acquire(blocking=False), "release": lock.release}


def of_portalocker(path):
    import portalocker

    lock = portalocker.Lock(
        path, mode="a", flags=portalocker.LOCK_EX | portalocker.LOCK_NB, fail_when_locked=True
    )

    def acquire():
        try:
            lock.acquire(timeout=0)
        except portalocker.exceptions.LockException:
            return False
        return True

    return {"acquire": acquire, "release": lock.release}


def of_programs(path):
    """Exit code 4 says that somebody else holds it."""

    def run(*words):
        return subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode

    def acquire():
        code = run("lockfile-create", "--retry", "0", path)
        if code not in (0, 4):
            raise RuntimeError(f"lockfile-create: exit code {code}")
        return code == 0

    def release():
        return run("lockfile-remove", path) == 0

    return {"acquire": acquire, "release": release}


KINDS = {
    "FileLock": of_filelock("FileLock"),
    "SoftFileLock": of_filelock("SoftFileLock"),
    "fasteners": of_fasteners,
    "portalocker": of_portalocker,
    "lockfile-progs": of_programs,
}


def setup(key):
    return KINDS[KIND](os.path.join(os.environ["LOCKKEEPER_FILES"], key + ".lock"))


serve(setup)
