#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: python3-diskcache 5.4.0 (Debian 12; diskcache.BoundedSemaphore), Python 3.11.
# Expected: a semaphore for threads and processes, with `expire`. When a holder dies its place comes back after that
#   time, whatever the others do.
# Really: the time belongs to the count of all places, and each acquire() and release() of anybody begins it anew. While
#   the others come and go more often than that, the dead holder's place never comes back.
# Seen: the lines at the end of this script. Control: nobody comes and goes.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian python3-diskcache '5.4.0-*'

cat >"$tmp/semaphore.py" <<'PROGRAM'
import sys
import threading
import time

import diskcache

cache = diskcache.Cache(sys.argv[1])
EXPIRE = 2


def semaphore(name):
    return diskcache.BoundedSemaphore(cache, name, value=2, expire=EXPIRE)


def within(seconds, call):
    thread = threading.Thread(target=call, daemon=True)
    thread.start()
    thread.join(seconds)
    return not thread.is_alive()


def dead_holder(name, traffic):
    """One holder dies. The rest of the places is used by turns, or not at all, for 2.5 times the time."""
    places = semaphore(name)
    places.acquire()
    end = time.monotonic() + 2.5 * EXPIRE
    while time.monotonic() < end:
        if traffic:
            with places:
                time.sleep(0.2)
        else:
            time.sleep(0.2)
    places.acquire()
    return "both" if within(0.5, semaphore(name).acquire) else "one"


print("a holder died 5 s ago, places last 2 s")
print(f"  others come and go: of 2 places {dead_holder('traffic', True)} can be had")
print(f"  control, nobody does: of 2 places {dead_holder('rest', False)} can be had")
PROGRAM

as_stated 'a holder died 5 s ago, places last 2 s
  others come and go: of 2 places one can be had
  control, nobody does: of 2 places both can be had' "$(timeout 50 /usr/bin/python3 "$tmp/semaphore.py" "$tmp/cache")"
