#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Locks on files (Debian), a new object for each acquire. usage: driver.py fasteners|portalocker"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "outside"))

import lockkeeper_client as client  # noqa: E402

KIND = sys.argv[1]
directory, held = "", {}


def on_start(init):
    global directory
    directory = init["data_dir"]


def by_fasteners(path):
    import fasteners
    lock = fasteners.InterProcessLock(path)
    return lock if lock.acquire(blocking=False) else None


def by_portalocker(path):
    import portalocker
    lock = portalocker.Lock(path, mode="a", flags=portalocker.LOCK_EX | portalocker.LOCK_NB, fail_when_locked=True)
    try:
        lock.acquire(timeout=0)
        return lock
    except (portalocker.exceptions.LockException, portalocker.exceptions.AlreadyLocked):
        return None


def acquire(lock, op):
    mine = {"fasteners": by_fasteners, "portalocker": by_portalocker}[KIND](os.path.join(directory, op["key"] + ".lock"))
    if mine is None:
        raise client.Refused
    held[op["client"], op["key"]] = mine


def release(lock, op):
    if (op["client"], op["key"]) not in held:
        raise client.NotHeld
    held.pop((op["client"], op["key"])).release()


client.serve(on_start=on_start, acquire=acquire, release=release)
