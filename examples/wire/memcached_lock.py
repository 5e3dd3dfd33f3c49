# SPDX-License-Identifier: Apache-2.0
"""A lock of a second on memcached, by its meta commands: `mg KEY N1` wins (W) where there is no such key.

argv[1]: for how many seconds the caller believes to hold it.
"""

import datetime
import os
import socket
import sys
import time

from lockkeeper_wire import serve


class Lock:
    def __init__(self, key):
        self.key = key
        self.file = None

    def ask(self, line):
        if self.file is None:
            host, port = os.environ["LOCKKEEPER_ADDRESS"].rsplit(":", 1)
            self.file = socket.create_connection((host, int(port))).makefile("rwb", buffering=0)
        self.file.write(line.encode() + b"\r\n")
        return self.file.readline().strip().decode()

    def acquire(self):
        began = time.monotonic()
        if not self.ask(f"mg {self.key} N1").endswith("W"):
            return False
        return datetime.timedelta(seconds=float(sys.argv[1]) - (time.monotonic() - began))

    def release(self):
        return self.ask(f"md {self.key}") == "HD"


def setup(key):
    lock = Lock(key)
    return {"acquire": lock.acquire, "release": lock.release}


serve(setup)
