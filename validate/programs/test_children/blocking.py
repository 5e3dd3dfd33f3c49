# SPDX-License-Identifier: Apache-2.0
"""Locks in blocking code, through the client library: blocking.py MODE."""

import os
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "..", "examples", "outside"))
from lockkeeper_client import NotHeld, Refused, serve  # noqa: E402

mode = sys.argv[1]
held = {}
here = threading.local()
locks = {}
directory = ""


# The counter of examples/outside/counter.py, "atomic" and "counter".
def acquire_counter(lock, op):
    limit = op["max_per"] * op["buckets"]
    if mode == "atomic":
        if lock.update_counter(op["key"], 1, create_if_not_exists=True) > limit:
            lock.update_counter(op["key"], -1)
            raise Refused
        return
    count = lock.read(op["key"]) or 0
    if count >= limit:
        raise Refused
    lock.write(op["key"], count + 1)


def release_counter(lock, op):
    lock.update_counter(op["key"], -1)


# "memory" keeps the holder in the program's own memory, and needs both hooks; "no-reset" and
# "no-crash" are without one of them. A finally of an abandoned operation may ask in vain.
def acquire_memory(lock, op):
    try:
        lock.now("looks at " + op["key"])
        if op["key"] in held:
            raise Refused
        held[op["key"]] = op["client"]
    finally:
        lock.access("leaves")


def release_memory(lock, op):
    lock.access("gives back")
    if held.pop(op["key"], None) is None:
        raise NotHeld


def forget_all():
    if mode != "no-reset":
        held.clear()


def forget_client(client):
    if mode != "no-crash":
        for key in [key for key, owner in held.items() if owner == client]:
            del held[key]


# "waits": a lock of the language, in which acquire blocks the thread. "files": a file in the data
# directory, by a caller's own thread.
def acquire_blocking(lock, op):
    locks.setdefault(op["key"], threading.Lock()).acquire()
    here.owner = op["client"]


def release_blocking(lock, op):
    assert here.owner == op["client"], "not the thread of the acquire"
    locks[op["key"]].release()


def acquire_file(lock, op):
    try:
        os.close(os.open(os.path.join(directory, op["key"]), os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        raise Refused
    time.sleep(0.001)


def release_file(lock, op):
    os.remove(os.path.join(directory, op["key"]))


def on_start(init):
    global directory
    directory = init.get("data_dir", "")


operations = {
    "counter": (acquire_counter, release_counter), "atomic": (acquire_counter, release_counter),
    "memory": (acquire_memory, release_memory), "no-reset": (acquire_memory, release_memory),
    "no-crash": (acquire_memory, release_memory),
    "waits": (acquire_blocking, release_blocking), "files": (acquire_file, release_file)}[mode]
serve(stateless=mode in ("counter", "atomic"), on_start=on_start, on_reset=forget_all,
      on_crash=forget_client, acquire=operations[0], release=operations[1])
