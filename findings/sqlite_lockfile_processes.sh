#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: python3-lockfile 0.12.2 (Debian 12; SQLiteLockFile), Python 3.11.
# Expected: the documentation says that an instance is made for the file that is to be locked, and that a lock which is
#   held by somebody else is waited for. All kinds of the package have the same calls, this one with SQLite below.
# Really: the name of the database has nothing to do with the file. Each process makes a database of its own in the
#   folder for temporary files when it makes its first lock. So two processes hold one file at a time: no process ever
#   sees the lock of another one.
# Seen: the lines at the end of this script. Controls: the same with LinkLockFile and MkdirLockFile; two threads of one
#   process with SQLiteLockFile.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian python3-lockfile '1:0.12.2-*'

cat >"$tmp/processes.py" <<'PROGRAM'
import subprocess
import sys
import threading

from lockfile import LockError
from lockfile.linklockfile import LinkLockFile
from lockfile.mkdirlockfile import MkdirLockFile
from lockfile.sqlitelockfile import SQLiteLockFile

KINDS = {kind.__name__: kind for kind in (SQLiteLockFile, LinkLockFile, MkdirLockFile)}


def ask(kind, path):
    lock = KINDS[kind](path)
    try:
        lock.acquire(timeout=1)
    except LockError as error:
        return type(error).__name__
    lock.release()
    return "has it"


if len(sys.argv) > 2:
    print(ask(sys.argv[1], sys.argv[2]))
    sys.exit()

for kind, create in KINDS.items():
    path = f"{sys.argv[1]}/{kind}"
    held = create(path)
    held.acquire()
    command = [sys.executable, __file__, kind, path]
    other = subprocess.run(command, stdout=subprocess.PIPE, text=True).stdout.strip()
    print(f"{kind}: held here; another process: {other}; held here: {held.i_am_locking()}")
    if kind == "SQLiteLockFile":
        seen = []
        thread = threading.Thread(target=lambda: seen.append(ask(kind, path)))
        thread.start()
        thread.join()
        print(f"  another thread: {seen[0]}")
    held.release()
PROGRAM
mkdir "$tmp/databases"

as_stated 'SQLiteLockFile: held here; another process: has it; held here: True
  another thread: LockTimeout
LinkLockFile: held here; another process: LockTimeout; held here: True
MkdirLockFile: held here; another process: LockTimeout; held here: True' \
    "$(TMPDIR="$tmp/databases" /usr/bin/python3 "$tmp/processes.py" "$tmp")"
