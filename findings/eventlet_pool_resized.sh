#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: python3-eventlet 0.33.1 (Debian 12; GreenPool), Python 3.11.
# Expected: the documentation says that resize() changes the maximum number of greenthreads that work at a time, and that
#   spawn() blocks at capacity. When a pool of 1 becomes one of 3 the two who wait in spawn() get in.
# Really: resize() wakes nobody. free() says 2, waiting() says 0, and the two sleep beside two free places; whoever comes
#   now queues up behind them. The end of a task wakes one of them, so that of 3 places one works from then on.
# Seen: the lines at the end of this script. Controls: the pool has 3 places from the beginning; it is resized before
#   the two arrive.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian python3-eventlet '0.33.1-*'

cat >"$tmp/resize.py" <<'PROGRAM'
import eventlet


def run(title, size, resized_first):
    pool = eventlet.GreenPool(size)
    works, ended = [], {}

    def work(name):
        works.append(name)
        ended[name].wait()
        works.remove(name)

    def come(name):
        ended[name] = eventlet.Event()
        eventlet.spawn(pool.spawn, work, name)
        eventlet.sleep(0.2)

    def tell(what):
        eventlet.sleep(0.2)
        print(f"{what}: works {' '.join(sorted(works))}, waiting {pool.waiting()}, free {pool.free()}")

    print(title)
    come("A")
    if resized_first:
        pool.resize(3)
    come("B")
    come("C")
    tell("A, B and C have come")
    if size == 1 and not resized_first:
        pool.resize(3)
        tell("resized to 3")
        come("D")
        tell("D has come")
    ended["A"].send()
    tell("A ends")


run("a pool of 1 becomes one of 3 while two wait", 1, False)
run("control: it becomes so before they arrive", 1, True)
run("control: a pool of 3", 3, False)
PROGRAM

as_stated 'a pool of 1 becomes one of 3 while two wait
A, B and C have come: works A, waiting 2, free 0
resized to 3: works A, waiting 0, free 2
D has come: works A, waiting 1, free 2
A ends: works B, waiting 0, free 2
control: it becomes so before they arrive
A, B and C have come: works A B C, waiting 0, free 0
A ends: works B C, waiting 0, free 1
control: a pool of 3
A, B and C have come: works A B C, waiting 0, free 0
A ends: works B C, waiting 0, free 1' "$(/usr/bin/python3 "$tmp/resize.py" 2>/dev/null)"
