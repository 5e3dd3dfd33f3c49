#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Locks whose state is in files of the data directory: file_locks.py MODE. Black box only, and no
client library, so that the tests do not depend on it.

flock            correct: the kernel frees it with the process
flock-shared     wrong: a shared lock is asked for
posix            fcntl locks belong to the process: right where each caller has one
file-is-there    O_EXCL: right, and taken for ever once its holder has been killed
clears-at-start  O_EXCL, and a process that starts removes what is there: right where all callers
                 die with the one process
"""

import errno
import fcntl
import json
import os
import sys

mode = sys.argv[1]
directory = None
held = {}  # (client, key): descriptor


def path_of(key):
    return os.path.join(directory, key + ".lock")


def acquire(client, key):
    flags = os.O_RDWR | os.O_CREAT
    if mode in ("file-is-there", "clears-at-start"):
        flags |= os.O_EXCL
    try:
        descriptor = os.open(path_of(key), flags)
    except FileExistsError:
        return False
    try:
        if mode == "flock":
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        elif mode == "flock-shared":
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        elif mode == "posix":
            fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(descriptor)
        if error.errno in (errno.EAGAIN, errno.EACCES):
            return False
        raise
    held[client, key] = descriptor
    return True


def release(client, key):
    if (client, key) not in held:
        return False
    os.close(held.pop((client, key)))
    if mode in ("file-is-there", "clears-at-start") and os.path.exists(path_of(key)):
        os.unlink(path_of(key))
    return True


for line in sys.stdin:
    message = json.loads(line)
    body = message["body"]
    answer = {"type": body["type"] + "_ok"}
    if body["type"] == "init":
        directory = body["data_dir"]
        if len(sys.argv) > 2:
            answer["crash_takes"] = sys.argv[2]
        if mode == "clears-at-start":
            for name in os.listdir(directory):
                os.unlink(os.path.join(directory, name))
    elif body["type"] == "acquire":
        if not acquire(message["src"], body["key"]):
            answer = {"type": "error", "code": 1000}
    elif not release(message["src"], body["key"]):
        answer = {"type": "error", "code": 22}
    answer["in_reply_to"] = body["msg_id"]
    print(json.dumps({"src": "n1", "dest": message["src"], "body": answer}), flush=True)
