# SPDX-License-Identifier: Apache-2.0
"""A scheduler's lock ends while it holds, another one takes over, and the first releases. Exit code 1: a third one
gets the lock beside the second. The end of the lock is set to a tenth of a second here. It starts a redis-server."""

import subprocess
import sys
import tempfile
import time

import redis
from rq.scheduler import RQScheduler


def ready(path):
    connection = redis.Redis(unix_socket_path=path)
    for _ in range(100):
        try:
            connection.ping()
            return connection
        except redis.ConnectionError:
            time.sleep(0.05)
    sys.exit("redis-server does not answer")


with tempfile.TemporaryDirectory() as folder:
    path = folder + "/redis"
    server = subprocess.Popen(["redis-server", "--port", "0", "--unixsocket", path, "--save", "", "--dir", folder],
                              stdout=subprocess.DEVNULL)
    try:
        connection = ready(path)
        a, b, c = (RQScheduler(["queue"], connection, interval=10) for _ in range(3))
        holders = {"A": bool(a.acquire_locks())}
        connection.pexpire(RQScheduler.get_locking_key("queue"), 100)
        time.sleep(0.3)
        holders["B"] = bool(b.acquire_locks())
        a.release_locks()
        holders["C"] = bool(c.acquire_locks())
    finally:
        server.terminate()
        server.wait()
print(" and ".join(name for name in "BC" if holders[name]) + " hold the lock of one queue")
sys.exit(1 if holders["B"] and holders["C"] else 0)
