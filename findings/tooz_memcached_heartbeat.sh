#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Packages: python3-tooz 3.1.0 with python3-pymemcache 3.5.2 and memcached 1.6.18 (Debian 12).
# Expected: the driver says of the heartbeat of a lock that it keeps the lock alive. A lock whose time is over belongs to the
#   next one who takes it, and the heartbeat of the late one says that it is not kept.
# Really: the heartbeat makes the entry of the name longer, whoever has it. A was late and B holds: A is told by each of its
#   heartbeats that all is well. B dies, and its lock never ends: A, which has none, keeps it alive, and C is kept out.
# Seen: the lines at the end of this script, with locks of 8 s. Control: A is late and makes no heartbeat any more.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian python3-tooz '3.1.0-*'
debian python3-pymemcache '3.5.2-*'
debian memcached '1.6.18*'
address=$(loopback)
user=()
[[ $(id -u) != 0 ]] || user=(-u nobody)
background memcached "${user[@]}" -l "$address" -p 11211 -U 0 2>"$tmp/log"
patiently bash -c "exec 3<>/dev/tcp/$address/11211"

cat >"$tmp/heartbeat.py" <<'PROGRAM'
import sys
import time

from tooz import coordination


def lock(member, name):
    coordinator = coordination.get_coordinator(f"memcached://{sys.argv[1]}:11211?lock_timeout=8", member)
    coordinator.start()
    return coordinator.get_lock(name)


def run(title, beats):
    name = b"job-1" if beats else b"job-2"
    a, b, c = (lock(member, name) for member in (b"A", b"B", b"C"))
    print(f"{title}: A takes it: {a.acquire(blocking=False)}")
    time.sleep(11)
    print(f"  11 s later B takes it: {b.acquire(blocking=False)}; A has it, says A: {a.acquired}")
    said = set()
    for _ in range(16):
        time.sleep(1)
        if beats:
            said.add(a.heartbeat())
    print(f"  B is dead for 16 s; what the heartbeats of A say: {said or 'nothing'}; A owns it: {a.is_still_owner()}; "
          f"C tries: {c.acquire(blocking=False)}")


run("A goes on", True)
run("control, A is silent", False)
PROGRAM

as_stated 'A goes on: A takes it: True
  11 s later B takes it: True; A has it, says A: True
  B is dead for 16 s; what the heartbeats of A say: {True}; A owns it: False; C tries: False
control, A is silent: A takes it: True
  11 s later B takes it: True; A has it, says A: True
  B is dead for 16 s; what the heartbeats of A say: nothing; A owns it: False; C tries: True' \
    "$(/usr/bin/python3 "$tmp/heartbeat.py" "$address" 2>"$tmp/warnings")"
