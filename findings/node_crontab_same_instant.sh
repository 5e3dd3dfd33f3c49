#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: node-crontab 0.0.8 (npm).
# Expected: scheduleJob() returns an id, and cancelJob(id) cancels that job.
# Really: the id is the time in milliseconds. Jobs that are scheduled within a millisecond, as in a loop at the start of a
#   program, have the same id, and the table keeps the last of them: cancelJob() says true for each id, and the others
#   run on, each second.
# Seen: the lines at the end of this script. Date#getTime() stands still during the loop, so that the millisecond is one on
#   a slow machine as well. Control: jobs that are scheduled 50 ms after each other, by the clock as it is.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages node-crontab@0.0.8

cat >"$tmp/program.js" <<'PROGRAM'
const crontab = require("node-crontab");
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

// Jobs of each second are scheduled and all cancelled by their ids.
async function run(title, jobs, between) {
  let cancelled = false, late = 0;
  const ids = [];
  const real = Date.prototype.getTime;
  const instant = Date.now();
  if (!between) Date.prototype.getTime = () => instant;
  for (let count = 0; count < jobs; ++count) {
    ids.push(crontab.scheduleJob("* * * * * *", () => { if (cancelled) ++late; }));
    if (between) await pause(between);
  }
  Date.prototype.getTime = real;
  console.log(`${title}: each job has an id of its own: ${new Set(ids).size === jobs}`);
  console.log(`  every id is cancelled: ${[...new Set(ids)].every((id) => crontab.cancelJob(id))}`);
  cancelled = true;
  await pause(3500);
  console.log(`  jobs run afterwards: ${late > 0}`);
}

(async () => {
  await run("control, 10 jobs, 50 ms apart", 10, 50);
  await run("10 jobs in one millisecond", 10, 0);
  process.exit(0);
})();
PROGRAM

as_stated 'control, 10 jobs, 50 ms apart: each job has an id of its own: true
  every id is cancelled: true
  jobs run afterwards: false
10 jobs in one millisecond: each job has an id of its own: false
  every id is cancelled: true
  jobs run afterwards: true' "$(node "$tmp/program.js")"
