#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: python3-tooz 3.1.0 (Debian 12; the locks of OpenStack's coordination, file driver), Python 3.11.
# Expected: the documentation of acquire() says that with shared=True the lock is shareable, or NotImplemented is
#   raised. The file driver raises nothing: who reads in one process reads beside who reads in another one.
# Really: shared is looked at within the process only. The file below is always locked exclusively: a reader in another
#   process is refused, or waits until the first one has left, for ever if readers overlap.
# Seen: the lines at the end of this script. Controls: the second reader is in the same process; a writer in each.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian python3-tooz '3.1.0-*'

cat >"$tmp/reader.py" <<'PROGRAM'
import subprocess
import sys

from tooz import coordination

folder = sys.argv[1]


def coordinator(name):
    member = coordination.get_coordinator("file://" + folder, name)
    member.start()
    return member


def ask(member, shared):
    lock = member.get_lock(b"table")
    return lock, "yes" if lock.acquire(blocking=False, shared=shared) else "no"


def elsewhere(shared):
    command = [sys.executable, __file__, folder, "shared" if shared else "alone"]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True).stdout.strip()


if len(sys.argv) > 2:
    held, answer = ask(coordinator(b"other"), sys.argv[2] == "shared")
    print(answer)
    if answer == "yes":
        held.release()
    sys.exit()

here = coordinator(b"here")
first, answer = ask(here, True)
print(f"a reader asks: {answer}")
second, answer = ask(here, True)
print(f"  another one in the same process: {answer}")
print(f"  another one in another process: {elsewhere(True)}")
print(f"  a writer in the same process: {ask(here, False)[1]}")
print(f"  a writer in another process: {elsewhere(False)}")
first.release()
second.release()
print(f"nobody holds it, a reader in another process: {elsewhere(True)}")
PROGRAM
mkdir "$tmp/locks"

as_stated 'a reader asks: yes
  another one in the same process: yes
  another one in another process: no
  a writer in the same process: no
  a writer in another process: no
nobody holds it, a reader in another process: yes' "$(timeout 50 /usr/bin/python3 "$tmp/reader.py" "$tmp/locks")"
