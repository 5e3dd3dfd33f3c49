#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: python3-kombu 5.2.4 (Debian 12; kombu.Connection.Pool), Python 3.11.
# Expected: the documentation says that replace() replaces a resource with a new instance, for defective ones, and that
#   acquire(block=True) waits while the limit is exceeded. After replace() nothing is in use, so a caller gets a new
#   connection at once.
# Really: replace() closes the connection and puts no other one into the queue. acquire(block=True) looks at the queue
#   alone: it sleeps beside a pool of which no place is in use. With a time-out it sleeps until that is over, and is
#   granted then. Who asks without block=True gets the connection at once, beside the one who sleeps, and
#   its release wakes that one. Somebody who waited before the replacement sleeps on as well.
# Seen: the lines at the end of this script. Controls: release() in place of replace(); a call without block=True.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian python3-kombu '5.2.4-*'

cat >"$tmp/replace.py" <<'PROGRAM'
import threading
import time

from kombu import Connection

PATIENCE = 2


# Granted at once, or only when the time to wait is over.
def ask(pool, **how):
    began = time.monotonic()
    connection = pool.acquire(**how)
    return connection, "at once" if time.monotonic() - began < PATIENCE / 2 else "when its time is over"


def run(title, ending, **how):
    pool = Connection("memory://").Pool(1)
    ending(pool, pool.acquire())
    print(f"{title}: granted {ask(pool, **how)[1]}")


run("after replace(), block=True, timeout=2", lambda pool, held: pool.replace(held), block=True, timeout=PATIENCE)
run("control, after replace(), without block", lambda pool, held: pool.replace(held))
run("control, after release(), block=True, timeout=2", lambda pool, held: held.release(), block=True, timeout=PATIENCE)

pool = Connection("memory://").Pool(1)
held = pool.acquire()
got = threading.Event()


def waiter():
    pool.acquire(block=True)
    got.set()


threading.Thread(target=waiter, daemon=True).start()
time.sleep(0.5)
pool.replace(held)
print("block=True before the replace():", "granted" if got.wait(PATIENCE) else "sleeps")
newcomer, when = ask(pool)
print("a newcomer without block: granted", when)
newcomer.release()
print("it releases, the one who sleeps:", "granted" if got.wait(PATIENCE) else "sleeps")
PROGRAM

as_stated 'after replace(), block=True, timeout=2: granted when its time is over
control, after replace(), without block: granted at once
control, after release(), block=True, timeout=2: granted at once
block=True before the replace(): sleeps
a newcomer without block: granted at once
it releases, the one who sleeps: granted' "$(/usr/bin/python3 "$tmp/replace.py" 2>&1)"
