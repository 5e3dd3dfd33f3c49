#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: cron 4.4.0 (npm).
# Expected: "0 3 * * *" is due once a day, at 3. The README says that a time zone can be given.
# Really: where the clock moves forward by half an hour at 2 the job is due at 02:30 and at 03:00, on the same day. It is
#   due at 02:30 though that time exists on that day and is not the one that was asked for.
# Seen: the lines at the end of this script, for Lord Howe, whose summer time is half an hour. Controls: Sydney on the
#   same day; Lord Howe on the day before; a job at noon.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages cron@4.4.0 luxon@3.7.2

cat >"$tmp/half.js" <<'PROGRAM'
const {CronTime} = require("cron");

// The times of one day in the zone; the first look is made a little after midnight, which is given in UTC.
function run(title, zone, expression, midnight) {
  const time = new CronTime(expression, zone);
  const end = Date.parse(midnight) + 23 * 3600 * 1000;
  const due = [];
  for (let at = time.getNextDateFrom(new Date(Date.parse(midnight) + 60000), zone);
       at.toMillis() < end && due.length < 5; at = time.getNextDateFrom(at.toJSDate(), zone)) {
    due.push(at.toFormat("HH:mm ZZ"));
  }
  console.log(`${title}, ${expression}: ${due.join(", ")}`);
}

run("Lord Howe, spring", "Australia/Lord_Howe", "0 3 * * *", "2023-09-30T13:30:00Z");
run("control, Sydney, spring", "Australia/Sydney", "0 3 * * *", "2023-09-30T14:00:00Z");
run("control, Lord Howe, the day before", "Australia/Lord_Howe", "0 3 * * *", "2023-09-29T13:30:00Z");
run("control, Lord Howe, spring", "Australia/Lord_Howe", "0 12 * * *", "2023-09-30T13:30:00Z");
PROGRAM

as_stated 'Lord Howe, spring, 0 3 * * *: 02:30 +11:00, 03:00 +11:00
control, Sydney, spring, 0 3 * * *: 03:00 +11:00
control, Lord Howe, the day before, 0 3 * * *: 03:00 +10:30
control, Lord Howe, spring, 0 12 * * *: 12:00 +11:00' "$(NODE_PATH="$tmp/node_modules" node "$tmp/half.js")"
