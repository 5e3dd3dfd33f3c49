#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: @datasert/cronjs-matcher 1.4.0 (npm; getFutureMatches).
# Expected: 3#5 in the field of weekdays is the fifth Wednesday of a month, as with Quartz. A month with five of them runs
#   the job.
# Really: the days of a month are looked through up to the 30th. If the fifth one is the 31st the month has no run: four
#   months of 2024 have a fifth Wednesday, and the job runs in two of them.
# Seen: the lines at the end of this script, beside the dates of the calendar. The control is in each line: the months in
#   which the fifth one is the 29th or the 30th.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages @datasert/cronjs-matcher@1.4.0

cat >"$tmp/program.js" <<'PROGRAM'
const {getFutureMatches} = require("@datasert/cronjs-matcher");

const range = {
  startAt: "2024-01-01T00:00:00Z", endAt: "2025-01-01T00:00:00Z", hasSeconds: false, matchCount: 20, maxLoopCount: 1000000,
};

for (const [title, weekday] of [["Wednesday", 3], ["Thursday", 4], ["Friday", 5]]) {
  const wanted = [];
  for (let day = Date.UTC(2024, 0, 29); day < Date.UTC(2025, 0, 1); day += 86400000) {
    const date = new Date(day);
    if (date.getUTCDay() === weekday && date.getUTCDate() >= 29) wanted.push(date.toISOString().slice(5, 10));
  }
  const found = getFutureMatches(`0 0 ? * ${weekday}#5`, range).map((time) => time.slice(5, 10));
  console.log(`fifth ${title} of 2024: ${wanted.join(" ")}; it runs ${found.join(" ")}`);
}
PROGRAM

as_stated 'fifth Wednesday of 2024: 01-31 05-29 07-31 10-30; it runs 05-29 10-30
fifth Thursday of 2024: 02-29 05-30 08-29 10-31; it runs 02-29 05-30 08-29
fifth Friday of 2024: 03-29 05-31 08-30 11-29; it runs 03-29 08-30 11-29' "$(node "$tmp/program.js")"
