#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: python3-oslo.concurrency 5.0.1 with python3-fasteners 0.17.3 (Debian 12; lockutils), Python 3.11.
# Expected: the documentation of lock() says that fair=True serves those who contend for the lock in the
#   order in which they asked, and that external=True lets one at a time work, whatever its process. Whoever
#   names "jobs" excludes all others who do, fair or not.
# Really: fair and other locks live in two tables, and "jobs" is one lock in each: a thread with fair=True
#   gets in beside a holder without it, and the other way round. external=True does not help. The file's
#   lock belongs to the process, so both threads get it, and who leaves first gives it up for both: from
#   then on another process gets in beside the holder.
# Seen: the lines at the end of this script. Control: holder and thread with the same value.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian python3-oslo.concurrency '5.0.1-*'
debian python3-fasteners '0.17.3-*'

cat >"$tmp/fair.py" <<'PROGRAM'
import os
import sys
import threading

from oslo_concurrency import lockutils


def lock(fair):
    return lockutils.lock("jobs", fair=fair, external=True, lock_path=sys.argv[1], do_log=False)


def enter(fair, got):
    with lock(fair):
        got.set()


def other_process():
    child = os.fork()
    if child == 0:
        file = lockutils.external_lock("jobs", lock_path=sys.argv[1])
        os._exit(0 if file.acquire(blocking=False) else 1)
    return "refused" if os.waitpid(child, 0)[1] else "granted"


def hold(held, asked):
    print(f"held with fair={held}, asked with fair={asked}")
    got = threading.Event()
    thread = threading.Thread(target=enter, args=(asked, got))
    with lock(held):
        print("before, another process:", other_process())
        thread.start()
        print("thread:", "granted" if got.wait(2) else "waits")
        if got.is_set():
            thread.join()
        print("after, another process:", other_process())
    thread.join()


for held in (False, True):
    for asked in (held, not held):
        hold(held, asked)
PROGRAM

as_stated 'held with fair=False, asked with fair=False
before, another process: refused
thread: waits
after, another process: refused
held with fair=False, asked with fair=True
before, another process: refused
thread: granted
after, another process: granted
held with fair=True, asked with fair=True
before, another process: refused
thread: waits
after, another process: refused
held with fair=True, asked with fair=False
before, another process: refused
thread: granted
after, another process: granted' "$(/usr/bin/python3 "$tmp/fair.py" "$tmp")"
