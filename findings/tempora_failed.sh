#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: python3-tempora 5.1.0 (Debian 12; tempora.schedule), Python 3.11.
# Expected: run_pending() runs each command that is due; one that fails is over, or due again after its period, and the others
#   have their turns at the next look.
# Really: a command is taken out when it has returned: one that fails is run again at each look, also one that is to run once,
#   and nothing behind it is run any more.
# Seen: the lines at the end of this script, for five looks. Controls: the failing one is behind the others; none fails.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian python3-tempora '5.1.0-*'
debian python3 '3.11.*'

cat >"$tmp/failed.py" <<'PROGRAM'
from collections import Counter

from tempora import schedule


def run(title, failing, order):
    scheduler = schedule.InvokeScheduler()
    ran = Counter()

    def job(name):
        def work():
            ran[name] += 1
            if failing == name:
                raise ConnectionError(name)
        return work

    # All are due, in this order: each is to run once.
    for second, name in enumerate(order):
        scheduler.add(schedule.DelayedCommand.at_time(1000 + second, job(name)))
    for look in range(5):
        try:
            scheduler.run_pending()
        except ConnectionError:
            pass
    print(f"{title}: runs {', '.join(f'{name} {ran[name]}' for name in sorted(order))}; {len(scheduler.queue)} left")


run("the mail fails, before the backup and the rotation", "mail", ["mail", "backup", "rotation"])
run("control, the mail is the last one", "mail", ["backup", "rotation", "mail"])
run("control, none fails", "", ["mail", "backup", "rotation"])
PROGRAM

as_stated 'the mail fails, before the backup and the rotation: runs backup 0, mail 5, rotation 0; 3 left
control, the mail is the last one: runs backup 1, mail 5, rotation 1; 1 left
control, none fails: runs backup 1, mail 1, rotation 1; 0 left' "$(/usr/bin/python3 "$tmp/failed.py")"
