# SPDX-License-Identifier: Apache-2.0
"""FileLock of filelock (Python).

filelock_py.py           FileLock, which is flock(2): a new object for each acquire
filelock_py.py --soft    SoftFileLock, which is a file that exists
filelock_py.py --shared  one FileLock object for all threads of the process
"""

import os
import sys

import private_server
from private_server import lockkeeper_client as client

try:
    import filelock
except ImportError:
    private_server.missing("python3-filelock")

directory, held = "", {}
shared = {}


def on_start(init):
    global directory
    directory = init["data_dir"]


def new_lock(key):
    kind = filelock.SoftFileLock if "--soft" in sys.argv else filelock.FileLock
    return kind(os.path.join(directory, key + ".lock"))


def acquire(lock, op):
    if "--shared" in sys.argv:
        mine = shared.setdefault(op["key"], new_lock(op["key"]))
    else:
        mine = new_lock(op["key"])
    try:
        mine.acquire(blocking=False)
    except filelock.Timeout:
        raise client.Refused
    held[op["client"], op["key"]] = mine


def release(lock, op):
    if (op["client"], op["key"]) not in held:
        raise client.NotHeld
    held.pop((op["client"], op["key"])).release()


client.serve(on_start=on_start, acquire=acquire, release=release)
