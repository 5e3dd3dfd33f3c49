#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: python3-kombu 5.2.4 (Debian 12; kombu.Connection.Pool), Python 3.11.
# Expected: a pool lends as many connections as its limit says, then acquire() raises ConnectionLimitExceeded.
#   resize(3) makes a pool of 2 one of 3, also while its 2 connections are out.
# Really: resize() fills up the queue to the new limit without counting what is out. So the pool lends 3 more beside the
#   2: there are 5 at a time under a limit of 3, and they stay after they came back. The limit is looked at only when
#   the queue is empty. A limit that is raised step by step under load adds up: 2, 3, 4 lend 9. set_limit()
#   does the same to all pools of a program.
# Seen: the lines at the end of this script. Control: resize() while nothing is out.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian python3-kombu '5.2.4-*'

cat >"$tmp/resize.py" <<'PROGRAM'
from kombu import Connection
from kombu.exceptions import LimitExceeded


def take_all(pool):
    taken = []
    try:
        while len(taken) < 100:
            taken.append(pool.acquire())
    except LimitExceeded:
        pass
    return taken


def run(title, limits, early=False):
    pool = Connection("memory://").Pool(2)
    held = [] if early else take_all(pool)
    for limit in limits:
        pool.resize(limit)
        held += [] if early else take_all(pool)
    held += take_all(pool)
    print(f"{title}: limit {pool.limit}, out at a time {len(set(map(id, held)))}", end="")
    for connection in held:
        connection.release()
    print(f", after all came back {len(take_all(pool))}")


run("2 are out, resize(3)", [3])
run("2 are out, resize(3), all are out, resize(4)", [3, 4])
run("control, nothing is out, resize(3)", [3], early=True)
PROGRAM

as_stated '2 are out, resize(3): limit 3, out at a time 5, after all came back 5
2 are out, resize(3), all are out, resize(4): limit 4, out at a time 9, after all came back 9
control, nothing is out, resize(3): limit 3, out at a time 3, after all came back 3' "$(/usr/bin/python3 "$tmp/resize.py" 2>&1)"
