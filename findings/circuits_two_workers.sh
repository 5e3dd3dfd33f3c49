#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: python3-circuits 3.2.2 (Debian 12), Python 3.11.
# Expected: Worker() is a pool for tasks that wait and Worker(process=True) one for tasks that compute, says its page; a task
#   that is fired is done once.
# Really: both listen to the same channel: in a program that has both kinds, or two of one, each task is done by each of them.
# Seen: the lines at the end of this script. Control: one Worker of two threads.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian python3-circuits '3.2.2-*'
debian python3 '3.11.*'

cat >"$tmp/workers.py" <<'PROGRAM'
import sys

from circuits import Component, Event, Timer, Worker, task


def mail(number, path):
    with open(path, "a", encoding="ascii") as sent:
        sent.write(f"{number} ")
    return number


class App(Component):
    def started(self, *unused):
        for number in (1, 2, 3):
            self.fire(task(mail, number, self.path), "worker")
        Timer(4, Event.create("finish")).register(self)

    def finish(self):
        raise SystemExit(0)


path, kinds = sys.argv[1], sys.argv[2].split()
app = App()
app.path = path
for kind in kinds:
    Worker(process=kind == "process", workers=2 if len(kinds) == 1 else 1).register(app)
app.run()
PROGRAM

for kinds in 'thread process' 'thread thread' 'thread'; do
    /usr/bin/python3 "$tmp/workers.py" "$tmp/sent" "$kinds" >"$tmp/said" 2>&1 || true
    echo "workers: $kinds; of the mails 1 2 3 were sent: $(tr ' ' '\n' <"$tmp/sent" | sort | xargs)"
    rm "$tmp/sent"
done >"$tmp/seen"

as_stated 'workers: thread process; of the mails 1 2 3 were sent: 1 1 2 2 3 3
workers: thread thread; of the mails 1 2 3 were sent: 1 1 2 2 3 3
workers: thread; of the mails 1 2 3 were sent: 1 2 3' "$(cat "$tmp/seen")"
