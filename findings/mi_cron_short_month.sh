#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: @cheap-glitch/mi-cron 1.0.1 (npm; parseCron.nextDate).
# Expected: nextDate() gives the next date that matches the schedule. A job of each 31st runs on the 31st, and not in a
#   month that has none; one of each 29 February runs in leap years.
# Really: the day is looked for in the schedule, and never in the month. Where the month has no such day the date is
#   counted on into the next month: a job of the 31st runs on the 1st of May and July, too, one of the 30th on the
#   2nd of March, one of the 29 February on the 1st of March. The dates that it gives do not match the schedule.
# Seen: the lines at the end of this script. Control: a day that each month has.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages @cheap-glitch/mi-cron@1.0.1

cat >"$tmp/program.js" <<'PROGRAM'
const {parseCron} = require("@cheap-glitch/mi-cron");

// The next three runs after a moment.
function runs(expression, from) {
  const dates = [];
  let date = new Date(from);
  for (let count = 0; count < 3; ++count) {
    date = parseCron.nextDate(expression, date);
    dates.push(date.toISOString().slice(0, 16));
  }
  console.log(`${expression} after ${from.slice(0, 10)}: ${dates.join(", ")}`);
}

runs("0 0 31 * *", "2023-03-31T12:00:00Z");
runs("0 0 30 * *", "2023-01-30T12:00:00Z");
runs("0 0 29 2 *", "2022-03-01T00:00:00Z");
runs("0 0 28 * *", "2023-01-30T12:00:00Z");
PROGRAM

as_stated '0 0 31 * * after 2023-03-31: 2023-05-01T00:00, 2023-05-31T00:00, 2023-07-01T00:00
0 0 30 * * after 2023-01-30: 2023-03-02T00:00, 2023-03-30T00:00, 2023-04-30T00:00
0 0 29 2 * after 2022-03-01: 2023-03-01T00:00, 2024-02-29T00:00, 2025-03-01T00:00
0 0 28 * * after 2023-01-30: 2023-02-28T00:00, 2023-03-28T00:00, 2023-04-28T00:00' "$(node "$tmp/program.js")"
