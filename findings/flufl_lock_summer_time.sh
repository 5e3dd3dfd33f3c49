#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: python3-flufl.lock 5.0.1 (Debian 12), Python 3.11.
# Expected: the lifetime is the number of seconds for which the process expects to keep the lock, relative to now;
#   other processes do not break the lock before that, says the documentation of Lock.
# Really: the end is reckoned as a local time of day. If summer time begins within the lifetime an hour of it is gone:
#   a lock of an hour is over at once, and after ten seconds more, the slack for clocks, another process holds it beside
#   the first one; the time-out of who waits at that moment is over as well. If summer time ends within it, a dead
#   holder's lock lasts for an hour more.
# Seen: the lines at the end of this script, in a zone whose clocks change six seconds after the lock was taken.
#   Control: a zone without a summer time.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian python3-flufl.lock '5.0.1-*'
debian python3 '3.11.*'

cat >"$tmp/hold.py" <<'PROGRAM'
import os
import subprocess
import sys
import time
from datetime import datetime, timedelta, timezone

from flufl.lock import Lock

OTHER = """
import sys
import time
from flufl.lock import Lock, TimeOutError
lock = Lock(sys.argv[1])
began = time.monotonic()
try:
    lock.lock(timeout=25)
    print("granted")
    lock.unlock()
except TimeOutError:
    print("refused", "before its time" if time.monotonic() - began < 20 else "after its time")
"""


# Summer time begins and ends, counted from now in the time of a zone at the meridian.
def zone(begins, ends):
    def rule(seconds):
        at = datetime.now(timezone.utc) + timedelta(seconds=seconds)
        return f"{at.timetuple().tm_yday - 1}/{at:%H:%M:%S}"
    return f"STD0DST-1,{rule(begins)},{rule(ends + 3600)}"


def run(title, begins, ends, lifetime, path):
    os.environ["TZ"] = zone(begins, ends) if begins else "STD0"
    time.tzset()
    lock = Lock(path, lifetime=lifetime)
    lock.lock()
    left = os.stat(path).st_mtime - time.time()
    print(f"{title}: a lock of {lifetime // 60} min ends in {round(left / 60)} min", flush=True)
    if lifetime < 4000:
        ask = [sys.executable, "-c", OTHER, path]
        options = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True}
        early = subprocess.Popen(ask, **options)
        time.sleep(8)
        late = subprocess.run(ask, **options)
        print(f"{title}: another process that asks at once, for 25 s, is {early.communicate()[0].strip()}", flush=True)
        print(f"{title}: one that asks after 8 s, for 25 s, is {late.stdout.strip()}", flush=True)
    lock.unlock(unconditionally=True)


half_a_year = 180 * 86400
folder = sys.argv[1]
run("summer time begins", 6, half_a_year, 3608, f"{folder}/spring")
run("summer time begins", 6, half_a_year, 10800, f"{folder}/long")
run("summer time ends", half_a_year, 6, 5400, f"{folder}/autumn")
run("control", 0, 0, 3608, f"{folder}/control")
PROGRAM

as_stated 'summer time begins: a lock of 60 min ends in 0 min
summer time begins: another process that asks at once, for 25 s, is refused before its time
summer time begins: one that asks after 8 s, for 25 s, is granted
summer time begins: a lock of 180 min ends in 120 min
summer time ends: a lock of 90 min ends in 150 min
control: a lock of 60 min ends in 60 min
control: another process that asks at once, for 25 s, is refused after its time
control: one that asks after 8 s, for 25 s, is refused after its time' "$(/usr/bin/python3 "$tmp/hold.py" "$tmp")"
