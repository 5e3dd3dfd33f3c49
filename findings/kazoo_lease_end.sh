#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Packages: python3-kazoo 2.8.0 (NonBlockingLease) with ZooKeeper 3.8.0 (Debian 12), Python 3.11.
# Expected: "an exclusive lease ensures that only one client at a time owns the lease"; its length is a timedelta, and the
#   only condition is that the clocks are roughly synchronised.
# Really: the end is stored without the fraction of its second. A lease ends up to a second early: one of 0.5 s from
#   12:00:00.25 has ended when it is told, and the next client has it beside the first. Clocks and server are right.
# Seen: the lines at the end of this script; all clients ask by one clock. Control: a lease that ends with a second.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian python3-kazoo '2.8.0-*'
start_zookeeper

cat >"$tmp/program.py" <<'PROGRAM'
import datetime
import sys

from kazoo.client import KazooClient

noon = datetime.datetime(2026, 3, 5, 12)


def at(seconds):
    return lambda: noon + datetime.timedelta(seconds=seconds)


# One host obtains a lease for so long, another one asks later, both by the same clock.
def run(title, length, asked, again):
    path = "/" + title.replace(" ", "-")
    duration = datetime.timedelta(seconds=length)
    first = zookeeper.NonBlockingLease(path, duration, identifier="A", utcnow=at(asked))
    print(f"{title}: {length} s at {asked} s, A {'has it' if first else 'refused'}", end="")
    for seconds in again:
        other = zookeeper.NonBlockingLease(path, duration, identifier="B", utcnow=at(seconds))
        print(f", B at {seconds} s {'has it' if other else 'refused'}", end="")
        if other:
            break
    print()


zookeeper = KazooClient(hosts=sys.argv[1])
zookeeper.start(timeout=60)
run("half a second", 0.5, 0.25, [0.26, 0.74, 0.76])
run("one and a half", 1.5, 0.25, [0.99, 1.01, 1.76])
run("two seconds late in a second", 2, 0.99, [1.99, 2.01, 3])
run("control, two seconds", 2, 0, [0.99, 1.99, 2.01])
zookeeper.stop()
PROGRAM

as_stated 'half a second: 0.5 s at 0.25 s, A has it, B at 0.26 s has it
one and a half: 1.5 s at 0.25 s, A has it, B at 0.99 s refused, B at 1.01 s has it
two seconds late in a second: 2 s at 0.99 s, A has it, B at 1.99 s refused, B at 2.01 s has it
control, two seconds: 2 s at 0 s, A has it, B at 0.99 s refused, B at 1.99 s refused, B at 2.01 s has it' "$(/usr/bin/python3 "$tmp/program.py" "$zookeeper" 2>&1)"
