#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: python3-diskcache 5.4.0 (Debian 12; diskcache.throttle), Python 3.11.
# Expected: throttle(cache, 5, 600) allows 5 calls per 600 s to all who use the name in the cache, which lies on disk
#   and is shared by processes. A process that starts joins the limit as it is.
# Really: the decorator sets the bucket to full when the function is defined. Each worker that starts, and each program
#   that only imports the module, gives everybody 5 calls at once: of a limit of 5 in ten minutes 20 go within
#   seconds.
# Seen: the lines at the end of this script. Control: the calls of one process, as many.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian python3-diskcache '5.4.0-*'

cat >"$tmp/limited.py" <<'PROGRAM'
import sys
import threading

import diskcache

cache = diskcache.Cache(sys.argv[1])


@diskcache.throttle(cache, 5, 600, name="service")
def call():
    done.append(True)


def work():
    while True:
        call()


done = []
for word in sys.stdin:
    before = len(done)
    if not before:
        threading.Thread(target=work, daemon=True).start()
    threading.Event().wait(1)
    print(len(done) - before, flush=True)
PROGRAM

cat >"$tmp/workers.py" <<'PROGRAM'
import subprocess
import sys


def start(folder):
    command = [sys.executable, sys.argv[1], folder]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def calls_in_a_second(worker):
    worker.stdin.write("go\n")
    worker.stdin.flush()
    return int(worker.stdout.readline())


def run(title, restarts):
    folder = f"{sys.argv[2]}/{restarts}"
    first = start(folder)
    print(title)
    print(f"  the first worker: {calls_in_a_second(first)}")
    for number in range(3):
        later = start(folder) if restarts else first
        print(f"  {'a worker that starts' if restarts else 'the same'}: {calls_in_a_second(later)}")
        if restarts:
            later.kill()
    first.kill()


run("5 calls in 600 s, by workers that start one after the other", True)
run("control: by one worker", False)
PROGRAM

as_stated '5 calls in 600 s, by workers that start one after the other
  the first worker: 5
  a worker that starts: 5
  a worker that starts: 5
  a worker that starts: 5
control: by one worker
  the first worker: 5
  the same: 0
  the same: 0
  the same: 0' "$(timeout 50 /usr/bin/python3 "$tmp/workers.py" "$tmp/limited.py" "$tmp")"
