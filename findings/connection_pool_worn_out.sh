#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: python3-connection-pool 0.0.3 (Debian 12; ConnectionPool), Python 3.11.
# Expected: a caller of item() waits while max_size connections exist (block=True is the default). When one has been used
#   max_usage times it is closed on its return, so that the pool is below its maximum and who waits gets a new one.
# Really: only the return of a good connection wakes who waits. The pool has no connection, nothing is in use, and the
#   waiter sleeps until somebody else has come and gone with a connection that stays. With max_usage=1 that never
#   happens: each newcomer is served, and who waited once waits for ever.
# Seen: the lines at the end of this script. Control: a connection that may be used again.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian python3-connection-pool '0.0.3-*'

cat >"$tmp/pool.py" <<'PROGRAM'
import threading

from connection_pool import ConnectionPool


class Connection:
    pass


def run(title, usage):
    pool = ConnectionPool(create=Connection, max_size=1, max_usage=usage)
    got = threading.Event()

    def waiter():
        pool.item()
        got.set()

    def tell(what):
        print(f"{what}, B", "has a connection" if got.wait(2) else "waits")

    print(title)
    held = pool.item()
    threading.Thread(target=waiter, daemon=True).start()
    tell("A has the connection")
    pool.release(held)
    tell("A gives it back")
    if not got.is_set():
        pool.release(pool.item())
        tell("C got one at once and gave it back")


run("a connection is used once", 1)
run("control: twice", 2)
PROGRAM

as_stated 'a connection is used once
A has the connection, B waits
A gives it back, B waits
C got one at once and gave it back, B waits
control: twice
A has the connection, B waits
A gives it back, B has a connection' "$(/usr/bin/python3 "$tmp/pool.py" 2>/dev/null)"
