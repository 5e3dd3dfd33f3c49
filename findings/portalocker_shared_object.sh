#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: python3-portalocker 2.2.1 (Debian 12; portalocker.Lock and RLock), Python 3.11.
# Expected: the documentation of RLock says that it works like threading.RLock: who holds it may acquire it again,
#   another thread waits. Lock has no such word: who asks again waits, or is told that it is locked.
# Really: neither asks who calls. When a thread of the program holds the object each other one is told yes at once. With
#   Lock the first release is everybody's: the file is free, and another program gets in beside the thread that
#   was there first. With RLock it stays locked until the last one has left.
# Seen: the lines at the end of this script. Controls: an object for each thread; threading.RLock.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian python3-portalocker '2.2.1-*'

cat >"$tmp/threads.py" <<'PROGRAM'
import subprocess
import sys
import threading

import portalocker

ELSEWHERE = """
import sys, portalocker
try:
    portalocker.Lock(sys.argv[1], timeout=0.1).acquire()
    print("gets in")
except portalocker.exceptions.BaseLockException:
    print("refused")
"""


def run(title, one, other, in_file=True):
    """Thread A holds the first lock, thread B takes the second one and leaves, then another program asks."""
    entered, go_on, seen = threading.Event(), threading.Event(), []

    def hold():
        with one:
            entered.set()
            go_on.wait()

    def ask():
        try:
            with other:
                seen.append("gets in and leaves")
        except portalocker.exceptions.BaseLockException:
            seen.append("refused")

    holder = threading.Thread(target=hold)
    holder.start()
    entered.wait()
    asker = threading.Thread(target=ask)
    asker.start()
    asker.join(2)
    print(title)
    print(f"  another thread: {seen[0] if seen else 'waits'}")
    if in_file:
        command = [sys.executable, "-c", ELSEWHERE, sys.argv[1]]
        print(f"  another program: {subprocess.run(command, stdout=subprocess.PIPE, text=True).stdout.strip()}")
    go_on.set()
    holder.join()
    asker.join()


def lock(kind):
    return kind(sys.argv[1], timeout=0.5)


print("a thread holds the lock all the time")
for kind in portalocker.Lock, portalocker.RLock:
    shared = lock(kind)
    run(f"{kind.__name__}, one object", shared, shared)
    run(f"control, {kind.__name__}, an object for each", lock(kind), lock(kind))
shared = threading.RLock()
run("control, threading.RLock", shared, shared, in_file=False)
PROGRAM

as_stated 'a thread holds the lock all the time
Lock, one object
  another thread: gets in and leaves
  another program: gets in
control, Lock, an object for each
  another thread: refused
  another program: refused
RLock, one object
  another thread: gets in and leaves
  another program: refused
control, RLock, an object for each
  another thread: refused
  another program: refused
control, threading.RLock
  another thread: waits' "$(timeout 50 /usr/bin/python3 "$tmp/threads.py" "$tmp/lock")"
