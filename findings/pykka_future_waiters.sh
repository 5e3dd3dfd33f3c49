#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: python3-pykka 3.1.1 (Debian 12; ThreadingFuture), Python 3.11.
# Expected: the documentation of get() says that it waits for the value, and that the value can be retrieved multiple
#   times. Two threads that wait for one answer of an actor both get it.
# Really: the value comes through a queue of one item. When two threads wait the first one takes it out and keeps it in
#   the future, the second one waits at the empty queue for ever, or until its time-out, beside a future that has its
#   value: whoever asks now gets it at once.
# Seen: the lines at the end of this script. Controls: they ask one after the other; one of two asks when the value is
#   there.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian python3-pykka '3.1.1-*'

cat >"$tmp/waiters.py" <<'PROGRAM'
import threading
import time

import pykka

go_on = threading.Event()


class Worker(pykka.ThreadingActor):
    def work(self):
        go_on.wait()
        return "value"


def run(title, waiting):
    """So many threads wait for the answer; two have it in the end."""
    go_on.clear()
    worker = Worker.start()
    answer = worker.proxy().work()
    got = []
    threads = [threading.Thread(target=lambda: got.append(answer.get()), daemon=True) for _ in range(2)]
    for thread in threads[:waiting]:
        thread.start()
    time.sleep(0.3)
    go_on.set()
    time.sleep(0.5)
    for thread in threads[waiting:]:
        thread.start()
    for thread in threads:
        thread.join(1)
    print(f"{title}: of two {len(got)} got the answer, a newcomer: {answer.get(timeout=1)}")
    worker.stop()


run("both wait for the answer", 2)
run("control, one waits, the other one asks later", 1)
run("control, both ask later", 0)
PROGRAM

as_stated 'both wait for the answer: of two 1 got the answer, a newcomer: value
control, one waits, the other one asks later: of two 2 got the answer, a newcomer: value
control, both ask later: of two 2 got the answer, a newcomer: value' "$(timeout 50 /usr/bin/python3 "$tmp/waiters.py")"
