# SPDX-License-Identifier: Apache-2.0
"""A lock on memcached, by its meta commands: `mg KEY N1` wins (W) where there is no such key, for a second.

argv[1]: for how many seconds the caller believes to hold it.
argv[2]: for how many seconds memcached is asked, 1 if not given. It counts full seconds, so a lock of N
seconds ends after N-1 to N (memcached 1.6.18): only a belief of N-1 is safe.
"""

import datetime
import os
import socket
import sys
import time

from lockkeeper_wire import serve


SECONDS = sys.argv[2] if len(sys.argv) > 2 else "1"


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
        if not self.ask(f"mg {self.key} N{SECONDS}").endswith("W"):
            return False
        return datetime.timedelta(seconds=float(sys.argv[1]) - (time.monotonic() - began))

    def release(self):
        return self.ask(f"md {self.key}") == "HD"


def setup(key):
    lock = Lock(key)
    return {"acquire": lock.acquire, "release": lock.release}


serve(setup)
