#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: python3-stopit 1.1.2 (Debian 12; ThreadingTimeout), Python 3.11.
# Expected: a block is stopped when its time is over. The README says that blocks of threads can be nested; it rules that
#   out for those of signals only.
# Really: if the time of the outer block is over while an inner one runs, the inner one takes the exception for its own, ends
#   long before its time and goes on after its end: the rest of the outer block runs without any limit, and its state
#   says that it was executed.
# Seen: the lines at the end of this script. Controls: no inner block; the inner block hands exceptions on.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian python3-stopit '1.1.2-*'
debian python3 '3.11.*'

cat >"$tmp/nested.py" <<'PROGRAM'
import contextlib
import logging
import time

import stopit

logging.disable(logging.CRITICAL)
STATES = ["executed", "executing", "timed out", "interrupted", "cancelled"]


def work(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        time.sleep(0.01)


# A first step of three seconds and a second one of two, within an outer limit of one second.
def run(title, inner):
    done = []
    with stopit.ThreadingTimeout(1) as outer:
        with inner:
            work(3)
            done.append("the first step")
        work(2)
        done.append("the second step")
    print(f"{title}: done {' and '.join(done) or 'nothing'}, the outer block {STATES[outer.state]}")


run("the inner block has a minute", stopit.ThreadingTimeout(60))
run("control, no inner block", contextlib.nullcontext())
run("control, the inner block hands on", stopit.ThreadingTimeout(60, swallow_exc=False))
PROGRAM

as_stated 'the inner block has a minute: done the second step, the outer block executed
control, no inner block: done nothing, the outer block timed out
control, the inner block hands on: done nothing, the outer block timed out' \
    "$(timeout 50 /usr/bin/python3 "$tmp/nested.py" 2>&1)"
