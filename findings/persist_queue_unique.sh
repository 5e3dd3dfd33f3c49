#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: python3-persist-queue 0.5.1 (Debian 12), Python 3.11.
# Expected: the package's description says that UniqueQ does not allow duplicates and that UniqueAckQ only allows
#   unique items: a job that is in the queue is not put there once more. A job that was done and acknowledged, or
#   given up by ack_failed(), has left the queue, and is put there again when it is due again.
# Really: a unique index over the pickled bytes decides, for all rows of the table. UniqueAckQ keeps the rows of jobs
#   that were acknowledged or have failed. put() of such a job does nothing and says nothing, after a restart, too,
#   and after clear_acked_data(), which spares the last 1000. Pickle writes an object for the second time as a
#   reference to the first. So a job that the program holds and an equal one, read from JSON, have different bytes,
#   and both are in the queue.
# Seen: the lines at the end of this script. Controls: UniqueQ, which deletes what was got (the equal job is there
#   twice as well), and SQLiteAckQueue, which takes everything.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian python3-persist-queue '0.5.1-*'

cat >"$tmp/unique.py" <<'PROGRAM'
import json
import sys

import persistqueue

JOB = {"source": "berlin", "target": "berlin"}


def put(queue, what, job):
    before = queue.size
    queue.put(job)
    print(f"{what}: {'in' if queue.size > before else 'nothing happens'}")


def finish_all(queue, how):
    while queue.size:
        job = queue.get()
        if hasattr(queue, how):
            getattr(queue, how)(job)


def run(kind):
    print(kind.__name__)
    queue = kind(sys.argv[1])
    put(queue, "a job", JOB)
    put(queue, "the same", JOB)
    put(queue, "an equal one", json.loads(json.dumps(JOB)))
    finish_all(queue, "ack")
    del queue
    queue = kind(sys.argv[1])
    if hasattr(queue, "clear_acked_data"):
        queue.clear_acked_data()
    put(queue, "again, when all are done", JOB)
    put(queue, "another job", "other")
    finish_all(queue, "ack_failed")
    put(queue, "again, when it has failed", "other")


run(persistqueue.UniqueAckQ)
print("controls")
run(persistqueue.UniqueQ)
run(persistqueue.SQLiteAckQueue)
PROGRAM

as_stated 'UniqueAckQ
a job: in
the same: nothing happens
an equal one: in
again, when all are done: nothing happens
another job: in
again, when it has failed: nothing happens
controls
UniqueQ
a job: in
the same: nothing happens
an equal one: in
again, when all are done: in
another job: in
again, when it has failed: in
SQLiteAckQueue
a job: in
the same: in
an equal one: in
again, when all are done: in
another job: in
again, when it has failed: in' "$(/usr/bin/python3 "$tmp/unique.py" "$tmp/jobs")"
