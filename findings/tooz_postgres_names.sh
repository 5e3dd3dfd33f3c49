#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Packages: python3-tooz 3.1.0 with python3-psycopg2 2.9.5 and PostgreSQL 15 (Debian 12).
# Expected: a lock is asked for by its name, and two names are two locks.
# Really: the driver for PostgreSQL makes two bytes of a name: there are 65,536 locks in a database for all names of all
#   programs. Of "volume-0" to "volume-99999" only 51,324 are different, "volume-96" and "volume-270" are one lock:
#   whoever holds the one keeps the other one out, and who wants both, one after the other, is refused by itself.
# Seen: the lines at the end of this script. Controls: a third name; the same names with the file driver.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian python3-tooz '3.1.0-*'
debian python3-psycopg2 '2.9.5-*'
start_postgresql

cat >"$tmp/names.py" <<'PROGRAM'
import sys

from tooz import coordination


def run(title, address):
    members = []
    for name in (b"one", b"other"):
        member = coordination.get_coordinator(address, name)
        member.start()
        members.append(member)
    one, other = members
    if hasattr(one.get_lock(b"volume-0"), "key"):
        keys = {bytes(one.get_lock(b"volume-%d" % number).key) for number in range(100000)}
        print(f"{title}: 100000 names are {len(keys)} locks")
    held = one.get_lock(b"volume-96")
    print(f"{title}: volume-96: {held.acquire(blocking=False)}")
    for name in (b"volume-270", b"volume-271"):
        lock = other.get_lock(name)
        print(f"  another one asks for {name.decode()}: {lock.acquire(blocking=False)}")
        lock.release()
    mine = one.get_lock(b"volume-270")
    print(f"  the holder asks for volume-270: {mine.acquire(blocking=False)}")
    mine.release()
    held.release()
    lock = other.get_lock(b"volume-270")
    print(f"  after the release another one asks for volume-270: {lock.acquire(blocking=False)}")
    lock.release()


run("PostgreSQL", f"postgresql://tester@/?dbname=postgres&host={sys.argv[1]}")
run("control, file", f"file://{sys.argv[1]}/locks")
PROGRAM
mkdir "$tmp/locks"

as_stated 'PostgreSQL: 100000 names are 51324 locks
PostgreSQL: volume-96: True
  another one asks for volume-270: False
  another one asks for volume-271: True
  the holder asks for volume-270: False
  after the release another one asks for volume-270: True
control, file: volume-96: True
  another one asks for volume-270: True
  another one asks for volume-271: True
  the holder asks for volume-270: True
  after the release another one asks for volume-270: True' \
    "$(/usr/bin/python3 "$tmp/names.py" "$tmp" 2>"$tmp/warnings")"
