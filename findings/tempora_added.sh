#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: python3-tempora 5.1.0 (Debian 12; tempora.schedule), Python 3.11.
# Expected: a command may add others while it runs; each one that was added once runs once.
# Really: when a command has returned the first of the queue is taken out, whoever that is by then: what the command added for
#   an earlier time is gone without having run, and the command itself runs once more.
# Seen: the lines at the end of this script. Control: the new one is for a later time.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian python3-tempora '5.1.0-*'
debian python3 '3.11.*'

cat >"$tmp/added.py" <<'PROGRAM'
from tempora import schedule


def run(title, offset):
    scheduler = schedule.InvokeScheduler()
    ran = []

    def repair():
        ran.append("repair")

    # The first time it finds something that is to be repaired, and adds that.
    def look():
        ran.append("look")
        if ran.count("look") == 1:
            scheduler.add(schedule.DelayedCommand.at_time(1000 + offset, repair))

    scheduler.add(schedule.DelayedCommand.at_time(1000, look))
    for _ in range(3):
        scheduler.run_pending()
    print(f"{title}: run are {', '.join(ran)}; {len(scheduler.queue)} left")


run("added for 60 s before", -60)
run("control, for 60 s later", 60)
PROGRAM

as_stated 'added for 60 s before: run are look, look; 0 left
control, for 60 s later: run are look, repair; 0 left' "$(/usr/bin/python3 "$tmp/added.py")"
