#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: @sapphire/cron 1.2.1 (npm; Cron.next).
# Expected: next(date) gives the next date after the given one that matches the pattern.
# Really: the time of day is compared with that of a minute later, the day is not. In the last minute of a day this is
#   the beginning of the day, to which all hours of the same day are later: the date that comes back is in the past,
#   up to 23 h 59 min. A scheduler that waits until then runs its daily job at once, and again until midnight.
# Seen: the lines at the end of this script. Controls: a second before that minute, and a second after it.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages @sapphire/cron@1.2.1

cat >"$tmp/program.js" <<'PROGRAM'
const {Cron} = require("@sapphire/cron");

function next(pattern, time) {
  const from = new Date(time), date = new Cron(pattern).next(from);
  const side = date > from ? "later" : "in the past";
  console.log(`${pattern} after ${from.toISOString().slice(0, 19)}: ${date.toISOString().slice(0, 19)}, ${side}`);
  return date;
}

next("0 0 * * *", "2024-05-01T23:58:59Z");
next("0 0 * * *", "2024-05-01T23:59:00Z");
next("30 2 * * *", "2024-05-01T23:59:30Z");
next("@hourly", "2024-05-01T23:59:59Z");
next("0 0 * * *", "2024-05-02T00:00:00Z");
PROGRAM

as_stated '0 0 * * * after 2024-05-01T23:58:59: 2024-05-02T00:00:00, later
0 0 * * * after 2024-05-01T23:59:00: 2024-05-01T00:00:00, in the past
30 2 * * * after 2024-05-01T23:59:30: 2024-05-01T02:30:00, in the past
@hourly after 2024-05-01T23:59:59: 2024-05-01T00:00:00, in the past
0 0 * * * after 2024-05-02T00:00:00: 2024-05-03T00:00:00, later' "$(node "$tmp/program.js")"
