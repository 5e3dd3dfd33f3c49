#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Packages: python3-kazoo 2.8.0 (MultiNonBlockingLease) with ZooKeeper 3.8.0 (Debian 12), Python 3.11.
# Expected: of two leases each host has one, so that two hosts run the task. Who asks again with its identifier renews
#   its own.
# Really: who renews takes the first place that is free or its own. If the lease of the place before its own has ended it
#   takes that one, and keeps the other one: it holds both, and the next host is refused, for as long as the old lease
#   lasts. One host runs the task.
# Seen: the lines at the end of this script; the time is told to the package. Controls: it does not renew; it renews
#   earlier.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian python3-kazoo '2.8.0-*'
start_zookeeper

cat >"$tmp/program.py" <<'PROGRAM'
import datetime
import json
import sys

from kazoo.client import KazooClient

noon = datetime.datetime(2026, 3, 5, 12)
hour = datetime.timedelta(minutes=60)


# Asks for one of two places for an hour, so many minutes after noon.
def ask(path, host, minutes):
    now = noon + datetime.timedelta(minutes=minutes)
    return bool(zookeeper.MultiNonBlockingLease(2, path, hour, identifier=host, utcnow=lambda: now))


def run(title, asked):
    path = "/" + title.replace(" ", "-")
    told = [f"{host} at {minutes} {'has one' if ask(path, host, minutes) else 'refused'}" for host, minutes in asked]
    held = [json.loads(zookeeper.get(f"{path}/{place}/lease_holder")[0])["holder"] for place in range(2)]
    print(f"{title}: {', '.join(told)}; places held by {' and '.join(held)}")


zookeeper = KazooClient(hosts=sys.argv[1])
zookeeper.start(timeout=60)
run("A renews after the end of B", [("B", 0), ("A", 30), ("A", 70), ("C", 71)])
run("control, A does not renew", [("B", 0), ("A", 30), ("C", 71)])
run("control, A renews before the end of B", [("B", 0), ("A", 30), ("A", 50), ("C", 71)])
zookeeper.stop()
PROGRAM

as_stated 'A renews after the end of B: B at 0 has one, A at 30 has one, A at 70 has one, C at 71 refused; places held by A and A
control, A does not renew: B at 0 has one, A at 30 has one, C at 71 has one; places held by C and A
control, A renews before the end of B: B at 0 has one, A at 30 has one, A at 50 has one, C at 71 has one; places held by C and A' "$(/usr/bin/python3 "$tmp/program.py" "$zookeeper" 2>&1)"
