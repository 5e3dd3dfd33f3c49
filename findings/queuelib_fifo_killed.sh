#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: python3-queuelib 1.6.2 (Debian 12; FifoDiskQueue, the queue on disk of the crawler Scrapy), Python 3.11.
# Expected: a persistent queue. When its program is killed the jobs are still there, or what was not closed is gone.
# Really: both, and mixed up. Jobs are written at once, the number of them only by close(). After a kill the queue says
#   that it is empty. Each job that is put from then on lets one of the old ones out in its place, and as many of the
#   new ones stay in the file for good. A queue that was closed before gives the jobs that are done already once more.
# Seen: the lines at the end of this script. Controls: the program closes the queue; FifoSQLiteQueue, killed.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian python3-queuelib '1.6.2-*'

cat >"$tmp/queue.py" <<'PROGRAM'
import os
import sys

import queuelib


def in_a_program(kind, path, end, jobs=(), done=0):
    """Puts jobs, takes some, and ends: closes the queue, or is killed."""
    if os.fork() == 0:
        queue = kind(path)
        for job in jobs:
            queue.push(job)
        for _ in range(done):
            queue.pop()
        if end == "closes":
            queue.close()
        os.kill(os.getpid(), 9)
    os.wait()


def take_all(queue):
    taken = []
    while (job := queue.pop()) is not None:
        taken.append(job.decode())
    return " ".join(taken) or "none"


def run(title, kind, end):
    path = f"{sys.argv[1]}/{len(os.listdir(sys.argv[1]))}"
    print(title)
    in_a_program(kind, path, end, jobs=[b"old1", b"old2", b"old3"])
    queue = kind(path)
    print(f"  three jobs, the program {end}: in the queue {len(queue)}")
    for job in b"new1", b"new2":
        queue.push(job)
    print(f"  new1 and new2 are put, taken: {take_all(queue)}")
    queue.close()

    path += "-done"
    in_a_program(kind, path, "closes", jobs=[b"a", b"b"])
    in_a_program(kind, path, end, done=1)
    print(f"  a and b, one is done, the program {end}: taken {take_all(kind(path))}")


run("FifoDiskQueue", queuelib.FifoDiskQueue, "is killed")
run("control", queuelib.FifoDiskQueue, "closes")
run("control, FifoSQLiteQueue", queuelib.queue.FifoSQLiteQueue, "is killed")
PROGRAM
mkdir "$tmp/jobs"

as_stated 'FifoDiskQueue
  three jobs, the program is killed: in the queue 0
  new1 and new2 are put, taken: old1 old2
  a and b, one is done, the program is killed: taken a b
control
  three jobs, the program closes: in the queue 3
  new1 and new2 are put, taken: old1 old2 old3 new1 new2
  a and b, one is done, the program closes: taken b
control, FifoSQLiteQueue
  three jobs, the program is killed: in the queue 3
  new1 and new2 are put, taken: old1 old2 old3 new1 new2
  a and b, one is done, the program is killed: taken b' "$(timeout 50 /usr/bin/python3 "$tmp/queue.py" "$tmp/jobs")"
