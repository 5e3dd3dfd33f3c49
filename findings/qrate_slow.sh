#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: qrate 1.2.4 (npm).
# Expected: the README says that a rateLimit of 0.5 starts one worker every two seconds, and names 1 and 5 for one and
#   five per second.
# Really: in each second the count of free starts is set to the limit, and a start needs a whole one. Half a start is
#   never saved up to one: the first job is started, and no other one ever. Of a limit of 1.9 one is started in a
#   second.
# Seen: the lines at the end of this script. Controls: limits of 1 and 2.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages qrate@1.2.4

cat >"$tmp/slow.js" <<'PROGRAM'
const qrate = require("qrate");
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

// Forty jobs of no length wait. What is started within ten and a half seconds counts.
async function run(title, rateLimit) {
  let started = 0;
  const queue = qrate((job, done) => {
    ++started;
    done();
  }, 100, rateLimit);
  for (let job = 0; job < 40; ++job) {
    queue.push(job);
  }
  await pause(10500);
  const many = started > 15 ? "more than 15 jobs" : "8 to 15 jobs";
  return `${title}: ${started === 1 ? "1 job" : started < 8 ? `${started} jobs` : many}`;
}

(async () => {
  const lines = await Promise.all([
    run("0.5 in a second", 0.5),
    run("1.9 in a second", 1.9),
    run("control, 1 in a second", 1),
    run("control, 2 in a second", 2),
  ]);
  console.log(lines.join("\n"));
  process.exit();
})();
PROGRAM

as_stated '0.5 in a second: 1 job
1.9 in a second: 8 to 15 jobs
control, 1 in a second: 8 to 15 jobs
control, 2 in a second: more than 15 jobs' "$(node "$tmp/slow.js")"
