#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: python3-portalocker 2.2.1 (Debian 12; portalocker.BoundedSemaphore), Python 3.11.
# Expected: a semaphore across processes; who is told AlreadyLocked holds nothing, and may ask again later.
# Really: the object keeps the lock of the last file that it tried, also when that was refused. From then on acquire()
#   fails with "Already locked" for ever, also when all places are free: a worker that once came at a bad time never
#   works again. A new object gets a place at once.
# Seen: the lines at the end of this script (the library prints what it tries; that is left out). Controls: a new object
#   for the second call; portalocker.Lock.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian python3-portalocker '2.2.1-*'

cat >"$tmp/refused.py" <<'PROGRAM'
import contextlib
import io
import sys

import portalocker


def ask(lock):
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            lock.acquire()
    except portalocker.exceptions.BaseLockException as error:
        return f"told {type(error).__name__}"
    except AssertionError as error:
        return f"fails, {error}"
    lock.release()
    return "yes"


def run(title, make, renew):
    holder, worker = make(), make()
    with contextlib.redirect_stdout(io.StringIO()):
        holder.acquire()
    print(title)
    print(f"  while another one holds it: {ask(worker)}")
    holder.release()
    print(f"  when nobody does: {ask(make() if renew else worker)}")
    print(f"  once more: {ask(make() if renew else worker)}")


def semaphore():
    return portalocker.BoundedSemaphore(1, name="jobs", directory=sys.argv[1], timeout=0.3, check_interval=0.1)


def lock():
    return portalocker.Lock(sys.argv[1] + "/lock", timeout=0.3)


run("BoundedSemaphore", semaphore, False)
run("control, a new object for each call", semaphore, True)
run("control, Lock", lock, False)
PROGRAM

as_stated 'BoundedSemaphore
  while another one holds it: told AlreadyLocked
  when nobody does: fails, Already locked
  once more: fails, Already locked
control, a new object for each call
  while another one holds it: told AlreadyLocked
  when nobody does: yes
  once more: yes
control, Lock
  while another one holds it: told LockException
  when nobody does: yes
  once more: yes' "$(timeout 50 /usr/bin/python3 "$tmp/refused.py" "$tmp")"
