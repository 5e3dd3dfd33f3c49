# SPDX-License-Identifier: Apache-2.0
"""Lock of redis-py, with a private redis-server.

redis_py.py                 a Lock object for each caller
redis_py.py --shared-token  one Lock object for all callers, and one token (thread_local=False)

The server writes each command to disk before it answers.
"""

import os
import sys
import time

import private_server
from private_server import lockkeeper_client as client

try:
    import redis
except ImportError:
    private_server.missing("python3-redis")

parameters, locks, server = {}, {}, None


def on_start(init):
    global server
    socket = os.path.join(init["data_dir"], "redis.sock")
    server = redis.Redis(unix_socket_path=socket)
    private_server.start(["redis-server", "--port", "0", "--unixsocket", socket, "--save", "",
                          "--dir", init["data_dir"], "--appendonly", "yes", "--appendfsync",
                          "always"], server.ping)


def lock_of(op):
    shared = "--shared-token" in sys.argv
    name = op["key"] if shared else (op["client"], op["key"])
    if name not in locks:
        locks[name] = server.lock(op["key"], timeout=parameters["ttl"] / 1000, blocking=False,
                                  thread_local=not shared)
    return locks[name]


def leased(change):
    """The answer to a change that has given a lease: it lasts from before the server was asked."""
    asked = time.monotonic_ns() // 1_000_000
    try:
        granted = change()
    except redis.exceptions.LockError:  # not owned, or no longer
        raise client.NotHeld
    if not granted:
        raise client.Refused
    return {"until": asked + parameters["ttl"]}


def acquire(lock, op):
    return leased(lock_of(op).acquire)


def renew(lock, op):
    return leased(lock_of(op).reacquire)


def release(lock, op):
    try:
        lock_of(op).release()
    except redis.exceptions.LockError:
        raise client.NotHeld


client.serve(on_start=on_start, parameters=parameters, acquire=acquire, renew=renew, release=release)
