#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Packages: python3-croniter 1.3.5 (Debian 12), with the time zones of Python 3.11 (zoneinfo) and of python3-tz (pytz).
# Expected: the README says that croniter handles the changes of summer time if it begins with a time that has a zone. A
#   job of each day at noon is due once on each day.
# Really: with a zone of zoneinfo the job at noon is due twice on the day on which the clock moves forward, first too early
#   by what it moves: at 11:00 and 12:00, on Lord Howe at 11:30 and 12:00. The job at 3 is due at a time that does not
#   exist on that day, or twice. On the day on which it moves back the job at 3 is late.
# Seen: the lines at the end of this script. Controls: the same zones of pytz; the day before.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian python3-croniter '1.3.5-*'
debian python3-tz '202*'
debian tzdata '202*'

cat >"$tmp/zones.py" <<'PROGRAM'
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytz
from croniter import croniter


def run(title, zone, expression, day, with_pytz=False):
    midnight = datetime.fromisoformat(day)
    begin = midnight - timedelta(hours=6)
    begin = pytz.timezone(zone).localize(begin) if with_pytz else begin.replace(tzinfo=ZoneInfo(zone))
    schedule = croniter(expression, begin)
    due = []
    for _ in range(6):
        at = schedule.get_next(datetime)
        if at.date() > midnight.date():
            break
        due.append(f"{at:%H:%M %z}")
    print(f"{title}, {expression}: {', '.join(due)}")


run("Berlin, spring", "Europe/Berlin", "0 12 * * *", "2023-03-26")
run("Berlin, spring", "Europe/Berlin", "0 3 * * *", "2023-03-26")
run("Berlin, autumn", "Europe/Berlin", "0 3 * * *", "2023-10-29")
run("Lord Howe, spring", "Australia/Lord_Howe", "0 12 * * *", "2023-10-01")
run("Lord Howe, spring", "Australia/Lord_Howe", "0 3 * * *", "2023-10-01")
run("Lord Howe, autumn", "Australia/Lord_Howe", "0 3 * * *", "2023-04-02")
run("control, pytz, Berlin, spring", "Europe/Berlin", "0 12 * * *", "2023-03-26", True)
run("control, pytz, Berlin, spring", "Europe/Berlin", "0 3 * * *", "2023-03-26", True)
run("control, pytz, Berlin, autumn", "Europe/Berlin", "0 3 * * *", "2023-10-29", True)
run("control, pytz, Lord Howe, spring", "Australia/Lord_Howe", "0 12 * * *", "2023-10-01", True)
run("control, pytz, Lord Howe, spring", "Australia/Lord_Howe", "0 3 * * *", "2023-10-01", True)
run("control, the day before", "Europe/Berlin", "0 12 * * *", "2023-03-25")
PROGRAM

as_stated 'Berlin, spring, 0 12 * * *: 11:00 +0200, 12:00 +0200
Berlin, spring, 0 3 * * *: 02:00 +0100
Berlin, autumn, 0 3 * * *: 04:00 +0100
Lord Howe, spring, 0 12 * * *: 11:30 +1100, 12:00 +1100
Lord Howe, spring, 0 3 * * *: 02:30 +1100, 03:00 +1100
Lord Howe, autumn, 0 3 * * *: 03:30 +1030
control, pytz, Berlin, spring, 0 12 * * *: 12:00 +0200
control, pytz, Berlin, spring, 0 3 * * *: 03:00 +0200
control, pytz, Berlin, autumn, 0 3 * * *: 03:00 +0100
control, pytz, Lord Howe, spring, 0 12 * * *: 12:00 +1100
control, pytz, Lord Howe, spring, 0 3 * * *: 03:00 +1100
control, the day before, 0 12 * * *: 12:00 +0100' "$(/usr/bin/python3 "$tmp/zones.py" 2>&1)"
