#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Packages: python3-etcd3 0.12.0 with python3-tenacity 8.2.1 and etcd 3.4.23 (Debian 12), Python 3.11.
# Expected: the documentation of acquire() says that it waits up to the stated time for the lock, 10 s by default, and
#   returns False then; with 0 it does not wait. The lease of a lock is renewed by refresh().
# Really: the wait is a function for tenacity of an older form, which the one of the same release calls otherwise: whoever
#   has to wait gets a TypeError at once, in the with statement, too. A holder that asks again is told no, as it should
#   be, but has lost its lease in its object: refresh() says that there is none, and the lock runs out.
# Seen: the lines at the end of this script. Controls: a free lock; a refused try with the time 0; a holder that did not ask
#   again.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian python3-etcd3 '0.12.0-*'
debian python3-tenacity '8.2.1-*'
start_etcd

cat >"$tmp/wait.py" <<'PROGRAM'
import sys
from urllib.parse import urlparse

import etcd3

address = urlparse(sys.argv[1])
client = etcd3.client(host=address.hostname, port=address.port)


def tried(call):
    try:
        call()
    except (TypeError, ValueError) as error:
        return type(error).__name__
    return "done"


def block():
    with client.lock("job", ttl=600):
        pass


first = client.lock("job", ttl=600)
print(f"control, the lock is free: {first.acquire()}")
print(f"  its lease is renewed: {tried(first.refresh)}")
print(f"control, another one tries: {client.lock('job', ttl=600).acquire(timeout=0)}")
print(f"another one waits up to 10 s: {tried(client.lock('job', ttl=600).acquire)}")
print(f"another one waits in a with statement: {tried(block)}")
print(f"the holder tries again: {first.acquire(timeout=0)}; it has the lock: {first.is_acquired()}")
print(f"  its lease is renewed: {tried(first.refresh)}")
PROGRAM

as_stated 'control, the lock is free: True
  its lease is renewed: done
control, another one tries: False
another one waits up to 10 s: TypeError
another one waits in a with statement: TypeError
the holder tries again: False; it has the lock: True
  its lease is renewed: ValueError' "$(/usr/bin/python3 "$tmp/wait.py" "$ETCDCTL_ENDPOINTS" 2>"$tmp/warnings")"
