#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: poolcounter 1.1.3 (Debian 12), the semaphore server of MediaWiki.
# Expected: the protocol page says that each request names its limit of active workers, and that the
#   answer waits while the limit is exceeded. So who asks for "at most 1" works alone.
# Really: the limit is looked at when the request comes in, never again. A release hands the place to the
#   first in the queue whatever that one's limit is: C asked for "at most 1" and is LOCKED beside B.
#   The same request of D, one moment later, has to wait.
# Seen: the lines at the end of this script. Control: where A alone was
#   there, one worker is left.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian poolcounter '1.1.3-*'
address=$(loopback)
background poolcounterd -l "$address"

cat >"$tmp/callers.py" <<'PROGRAM'
import select
import socket
import sys
import time


class Caller:
    def __init__(self, name):
        for _ in range(100):
            try:
                self.socket = socket.create_connection((sys.argv[1], 7531))
                break
            except ConnectionRefusedError:
                time.sleep(0.1)
        self.name = name

    def answer(self, patience=1.0):
        ready = select.select([self.socket], [], [], patience)[0]
        return self.socket.recv(4096).decode().strip() if ready else "waits"

    def say(self, line):
        self.socket.sendall(line.encode() + b"\n")
        print(f"{self.name} {line}: {self.answer()}")


def run(key, holders):
    callers = [Caller(name) for name in "ABCD"]
    for caller in callers[:holders]:
        caller.say(f"ACQ4ME {key} 2 9 30")
    callers[2].say(f"ACQ4ME {key} 1 9 30")
    callers[0].say("RELEASE")
    print("C hears:", callers[2].answer())
    callers[3].say(f"ACQ4ME {key} 1 9 30")
    statistics = Caller("S")
    statistics.socket.sendall(b"STATS FULL\n")
    print(*(line for line in statistics.answer().splitlines() if "processing_workers" in line))
    for caller in callers:
        caller.socket.close()


run("page", 2)
print("control: A alone was there")
run("other", 1)
PROGRAM

as_stated 'A ACQ4ME page 2 9 30: LOCKED
B ACQ4ME page 2 9 30: LOCKED
C ACQ4ME page 1 9 30: waits
A RELEASE: RELEASED
C hears: LOCKED
D ACQ4ME page 1 9 30: waits
processing_workers: 2
control: A alone was there
A ACQ4ME other 2 9 30: LOCKED
C ACQ4ME other 1 9 30: waits
A RELEASE: RELEASED
C hears: LOCKED
D ACQ4ME other 1 9 30: waits
processing_workers: 1' "$(/usr/bin/python3 "$tmp/callers.py" "$address")"
