#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Packages: python3-etcd3gw 2.0.0 with etcd 3.4.23 (Debian 12; tooz and other parts of OpenStack use it), Python 3.11.
# Expected: a lock has a time to live, and refresh() renews it. A holder that asks for its lock once more is told that it
#   is taken, and still holds it.
# Really: acquire() makes a new lease before it asks, and keeps it also when the answer is no. From then on refresh() renews
#   that one, on which no lock hangs, and says each time that the full time is left. The lease of the lock runs out:
#   another one gets in while the holder goes on renewing.
# Seen: the lines at the end of this script: locks of 10 s that are renewed each 2 s, for 20 s. Control: a holder that does
#   not ask again.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian python3-etcd3gw '2.0.0-*'
start_etcd

cat >"$tmp/again.py" <<'PROGRAM'
import sys
import time
from urllib.parse import urlparse

from etcd3gw.client import Etcd3Client

address = urlparse(sys.argv[1])


def lock(name):
    return Etcd3Client(host=address.hostname, port=address.port, api_path="/v3/").lock(name, ttl=10)


locks = {"asks again": lock("a"), "control, does not": lock("b")}
for title, held in locks.items():
    print(f"{title}: it gets the lock: {held.acquire()}")
again = locks["asks again"]
print(f"  it asks again: {again.acquire()}, it has the lock: {again.is_acquired()}")
left = {title: set() for title in locks}
for _ in range(10):
    time.sleep(2)
    for title, held in locks.items():
        left[title].add(held.refresh())
for title, held in locks.items():
    print(f"{title}: after 20 s: what refresh() says: {left[title]}, it has the lock: {held.is_acquired()}, "
          f"another one asks: {lock(held.name).acquire()}")
PROGRAM

as_stated 'asks again: it gets the lock: True
control, does not: it gets the lock: True
  it asks again: False, it has the lock: True
asks again: after 20 s: what refresh() says: {10}, it has the lock: False, another one asks: True
control, does not: after 20 s: what refresh() says: {10}, it has the lock: True, another one asks: False' \
    "$(/usr/bin/python3 "$tmp/again.py" "$ETCDCTL_ENDPOINTS")"
