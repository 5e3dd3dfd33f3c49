#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: python3-beaker 1.11.0 (Debian 12), Python 3.11.
# Expected: file_synchronizer(name, lock_dir=...) locks a file of that name in that folder, so that it excludes the
#   other programs that use this folder.
# Really: while an object of that name is alive the next call is given that one, whatever its folder: the lock is
#   taken in the other folder, and another program that names the same folder gets in beside the holder.
# Seen: the lines at the end of this script. Controls: the first object is gone; the names differ.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian python3-beaker '1.11.0-*'
debian python3 '3.11.*'

cat >"$tmp/folders.py" <<'PROGRAM'
import gc
import subprocess
import sys

from beaker.synchronization import file_synchronizer

here, there = sys.argv[1:3]
OTHER = """
import sys
from beaker.synchronization import file_synchronizer
print("gets in" if file_synchronizer(sys.argv[1], lock_dir=sys.argv[2]).acquire(wait=False) else "is refused")
"""


def run(title, first_name, keep):
    first = file_synchronizer(first_name, lock_dir=here)
    if not keep:
        del first
        gc.collect()
    second = file_synchronizer("jobs", lock_dir=there)
    second.acquire()
    other = subprocess.run([sys.executable, "-c", OTHER, "jobs", there], stdout=subprocess.PIPE, text=True, check=True)
    print(f"{title}: another program that asks in the same folder {other.stdout.strip()}")
    second.release()


run("an object of that name in another folder is alive", "jobs", True)
run("control, it is gone", "jobs", False)
run("control, it has another name", "mails", True)
PROGRAM

mkdir "$tmp/a" "$tmp/b"
as_stated 'an object of that name in another folder is alive: another program that asks in the same folder gets in
control, it is gone: another program that asks in the same folder is refused
control, it has another name: another program that asks in the same folder is refused' "$(/usr/bin/python3 "$tmp/folders.py" "$tmp/a" "$tmp/b")"
