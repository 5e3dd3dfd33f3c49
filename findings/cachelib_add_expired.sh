#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: python3-cachelib 0.9.0 (Debian 12), Python 3.11.
# Expected: add(key, value, timeout) stores a key that is not there, and a key is there for its time: a lock of one second
#   that is taken by add() can be taken again when the second is over.
# Really: a key whose time is over is no longer found by get() and has(), but add() is refused, as long as it is not tidied away:
#   nobody gets the lock of a dead holder, in SimpleCache and in FileSystemCache.
# Seen: the lines at the end of this script. Controls: the holder deletes it; the key is stored by set().

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian python3-cachelib '0.9.0-*'
debian python3 '3.11.*'

cat >"$tmp/add.py" <<'PROGRAM'
import sys
import time

from cachelib.file import FileSystemCache
from cachelib.simple import SimpleCache


def told(answer):
    return "granted" if answer else "refused"


for cache in (SimpleCache(), FileSystemCache(sys.argv[1])):
    name = type(cache).__name__
    first = told(cache.add("lock", "A", timeout=1))
    meanwhile = told(cache.add("lock", "B", timeout=1))
    time.sleep(2.5)
    found = cache.has("lock")
    print(f"{name}: A is {first}, B {meanwhile}; after 2.5 s of 1 s has() says {found}, B is {told(cache.add('lock', 'B', timeout=1))}")
    cache.delete("lock")
    print(f"{name}, control, deleted: B is {told(cache.add('lock', 'B', timeout=1))}")
    time.sleep(2.5)
    print(f"{name}, control, set() instead of add(): {told(cache.set('lock', 'C', timeout=1))}")
PROGRAM

as_stated 'SimpleCache: A is granted, B refused; after 2.5 s of 1 s has() says False, B is refused
SimpleCache, control, deleted: B is granted
SimpleCache, control, set() instead of add(): granted
FileSystemCache: A is granted, B refused; after 2.5 s of 1 s has() says False, B is refused
FileSystemCache, control, deleted: B is granted
FileSystemCache, control, set() instead of add(): granted' "$(/usr/bin/python3 "$tmp/add.py" "$tmp/files")"
