#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Packages: python3-etcd3gw 2.0.0 with etcd 3.4.23 (Debian 12), Python 3.11.
# Expected: the lock can be used as a context manager, its documentation says: the block runs while the lock is held. Who
#   does not get it waits, or gets an error.
# Really: acquire() tries once and says no, and the with statement does not look at its answer. The block of the second one
#   runs beside the first one. At its end its release() is refused as quietly.
# Seen: the lines at the end of this script. Controls: acquire() of the same lock; the block when the first one has left.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian python3-etcd3gw '2.0.0-*'
start_etcd

cat >"$tmp/block.py" <<'PROGRAM'
import sys
from urllib.parse import urlparse

from etcd3gw.client import Etcd3Client

address = urlparse(sys.argv[1])


def lock():
    return Etcd3Client(host=address.hostname, port=address.port, api_path="/v3/").lock("job", ttl=600)


first = lock()
print(f"the first one asks: {first.acquire()}")
print(f"control, the second one asks: {lock().acquire()}")
with lock() as second:
    print(f"the block of the second one runs; it has the lock: {second.is_acquired()}, the first one: {first.is_acquired()}")
print(f"after the block the first one has it: {first.is_acquired()}")
print(f"the first one leaves: {first.release()}")
with lock() as second:
    print(f"control, the block of the second one runs; it has the lock: {second.is_acquired()}")
PROGRAM

as_stated 'the first one asks: True
control, the second one asks: False
the block of the second one runs; it has the lock: False, the first one: True
after the block the first one has it: True
the first one leaves: True
control, the block of the second one runs; it has the lock: True' \
    "$(/usr/bin/python3 "$tmp/block.py" "$ETCDCTL_ENDPOINTS")"
