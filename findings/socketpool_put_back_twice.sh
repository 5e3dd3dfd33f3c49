#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: python3-socketpool 0.5.3 (Debian 12; ConnectionPool), Python 3.11.
# Expected: get() takes a connection that matches out of the pool, or makes one. Connections that do not match are put
#   back, so that each is in the pool once and is lent to one caller at a time.
# Really: the list of those that do not match is kept from one try to the next. When a connection to B cannot be made at
#   the first try, the idle one to A is put back twice: the pool counts two, and lends the same one to two callers
#   of A at a time. Each further try doubles again.
# Seen: the lines at the end of this script. Control: the connection to B is made at the first try.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian python3-socketpool '0.5.3-*'

cat >"$tmp/twice.py" <<'PROGRAM'
import time

from socketpool import ConnectionPool
from socketpool.conn import Connector

failures = 0


class Connection(Connector):
    made = 0

    def __init__(self, host, backend_mod=None, pool=None):
        global failures
        if host == "B" and failures:
            failures -= 1
            raise ConnectionRefusedError("not yet")
        Connection.made += 1
        self.name, self.host, self.life = f"connection {Connection.made} to {host}", host, time.time()

    def matches(self, **options):
        return options.get("host") == self.host

    def is_connected(self):
        return True

    def get_lifetime(self):
        return self.life

    def invalidate(self):
        pass


def run(title, refused):
    global failures
    Connection.made, failures = 0, refused
    pool = ConnectionPool(factory=Connection, retry_max=5, retry_delay=0, reap_connections=False)
    pool.release_connection(pool.get(host="A"))
    pool.get(host="B")
    print(f"{title}: in the pool {pool.size}", end="")
    callers = [pool.get(host="A") for _ in range(3)]
    print(", three callers of A have", ", ".join(caller.name for caller in callers))


run("B refuses once", 1)
run("B refuses twice", 2)
run("control, B does not refuse", 0)
PROGRAM

as_stated 'B refuses once: in the pool 2, three callers of A have connection 1 to A, connection 1 to A, connection 3 to A
B refuses twice: in the pool 4, three callers of A have connection 1 to A, connection 1 to A, connection 1 to A
control, B does not refuse: in the pool 1, three callers of A have connection 1 to A, connection 3 to A, connection 4 to A' "$(/usr/bin/python3 "$tmp/twice.py" 2>&1)"
