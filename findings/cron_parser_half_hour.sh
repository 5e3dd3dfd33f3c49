#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: cron-parser 5.10.6 (npm; with luxon 3.7.2).
# Expected: "*/15 1-2 * * *" is due at each quarter of an hour from 01:00 to 02:45. In Sydney, where the whole hour from 2
#   to 3 is left out in spring, its times are due an hour later. On Lord Howe only half an hour is left out, from 02:00
#   to 02:30: 02:30 and 02:45 exist and are due.
# Really: when the hour 2 begins at half past it counts as left out as a whole. The job is not due at 02:30 and 02:45 but
#   four times in the hour after it.
# Seen: the lines at the end of this script, for Lord Howe, whose summer time is half an hour. Controls: the day before;
#   Sydney, where the whole hour does not exist.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages cron-parser@5.10.6 luxon@3.7.2

cat >"$tmp/half.js" <<'PROGRAM'
const {CronExpressionParser} = require("cron-parser");
const {DateTime} = require("luxon");

// The times of one day in the zone, whose midnight is given in UTC.
function run(title, zone, midnight) {
  const begin = Date.parse(midnight);
  const schedule = CronExpressionParser.parse("*/15 1-2 * * *", {tz: zone, currentDate: new Date(begin)});
  const due = [];
  for (let at = schedule.next().getTime(); at < begin + 20 * 3600 * 1000 && due.length < 12; at = schedule.next().getTime()) {
    due.push(DateTime.fromMillis(at, {zone}).toFormat("HH:mm"));
  }
  console.log(`${title}: ${due.join(" ")}`);
}

run("Lord Howe, spring", "Australia/Lord_Howe", "2023-09-30T13:30:00Z");
run("control, Lord Howe, the day before", "Australia/Lord_Howe", "2023-09-29T13:30:00Z");
run("control, Sydney, spring", "Australia/Sydney", "2023-09-30T14:00:00Z");
PROGRAM

as_stated 'Lord Howe, spring: 01:00 01:15 01:30 01:45 03:00 03:15 03:30 03:45
control, Lord Howe, the day before: 01:00 01:15 01:30 01:45 02:00 02:15 02:30 02:45
control, Sydney, spring: 01:00 01:15 01:30 01:45 03:00 03:15 03:30 03:45' "$(NODE_PATH="$tmp/node_modules" node "$tmp/half.js")"
