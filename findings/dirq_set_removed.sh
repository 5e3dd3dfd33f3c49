#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: python3-dirq 1.8 (Debian 12; dirq.QueueSet).
# Expected: the docstring of QueueSet.remove(queue) says that it removes that queue and its elements from what is cached,
#   and that of next() that it returns the next element of the set from what is cached.
# Really: the place of the queue in one list is used for another list, which is sorted in another order. The elements of
#   the removed queue come on, and those of a queue that is still in the set are passed over: a worker that goes through
#   the set does the jobs that were taken out and not those that are left.
# Seen: the lines at the end of this script. Control: the queue whose element is the oldest one was added first.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian python3-dirq '1.8-*'

cat >"$tmp/removed.py" <<'PROGRAM'
import os
import sys

from dirq.QueueSet import QueueSet
from dirq.QueueSimple import QueueSimple


# Queue B has the older elements. The worker takes the first one, then A is removed from the set.
def run(title, order):
    folder = os.path.join(sys.argv[1], title.replace(' ', ''))
    queues = {}
    jobs = {}
    for number, name in enumerate('BBBAAA'):
        if name not in queues:
            queues[name] = QueueSimple(os.path.join(folder, name))
        jobs[name, queues[name].add(f'{name}{number % 3 + 1}')] = f'{name}{number % 3 + 1}'
    queue_set = QueueSet([queues[name] for name in order])
    names = {queue.id: name for name, queue in queues.items()}
    done = []
    queue, element = queue_set.first()
    while queue is not None:
        done.append(jobs[names[queue.id], element])
        if len(done) == 1:
            queue_set.remove(queues['A'])
        queue, element = queue_set.next()
    print(f'{title}: after A was removed the worker sees {" ".join(done[1:]) or "nothing"}')


run('A was added first', 'AB')
run('control, B was added first', 'BA')
PROGRAM

as_stated 'A was added first: after A was removed the worker sees A1 A2 A3
control, B was added first: after A was removed the worker sees B2 B3' "$(/usr/bin/python3 "$tmp/removed.py" "$tmp")"
