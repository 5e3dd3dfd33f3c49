#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A lock in a file of the data directory, for the black-box level. flock: the kernel frees it with
the process of its holder. With --unlinked a file that is there is the lock, and releasing removes
it: nobody removes it for a holder that was killed."""

import fcntl
import os
import sys

from lockkeeper_client import NotHeld, Refused, serve

unlinked = "--unlinked" in sys.argv
directory = None
held = {}  # (caller, key): descriptor


def start(init):
    global directory
    directory = init["data_dir"]


def path_of(key):
    return os.path.join(directory, key + ".lock")


async def acquire(lock, op):
    try:
        descriptor = os.open(path_of(op["key"]), os.O_RDWR | os.O_CREAT |
                             (os.O_EXCL if unlinked else 0))
    except FileExistsError:
        raise Refused from None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        raise Refused from None
    held[op["client"], op["key"]] = descriptor


async def release(lock, op):
    descriptor = held.pop((op["client"], op["key"]), None)
    if descriptor is None:
        raise NotHeld
    if unlinked:
        os.unlink(path_of(op["key"]))
    os.close(descriptor)


serve(on_start=start, acquire=acquire, release=release)
