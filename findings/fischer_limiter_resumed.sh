#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: @d-fischer/rate-limiter 1.1.0 (npm; TimeBasedRateLimiter).
# Expected: resume() ends a pause. With a bucket of 5 five of the requests that waited begin at once.
# Really: resume() begins one. The others wait beside four free places until its time frame is over, and from then on
#   one begins for each that has ended: a queue goes on with one request in a time frame for as long as it lasts. A
#   request that comes after the pause finds a free place, begins at once, and passes all of them.
# Seen: the lines at the end of this script. Controls: the same requests without a pause; a pause with one in the queue.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages @d-fischer/rate-limiter@1.1.0

cat >"$tmp/resumed.js" <<'PROGRAM'
const {TimeBasedRateLimiter} = require("@d-fischer/rate-limiter");
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

// Some requests come, in a pause or not. 0.3 s after it a new one comes. 5 are allowed in 3 s.
async function run(title, count, paused) {
  const begun = [];
  const limiter = new TimeBasedRateLimiter({
    bucketSize: 5,
    timeFrame: 3000,
    doRequest: async (name) => { begun.push(name); },
    logger: {minLevel: "critical"},
  });
  if (paused) {
    limiter.pause();
  }
  for (let index = 1; index <= count; ++index) {
    limiter.request(index);
  }
  await pause(100);
  limiter.resume();
  await pause(300);
  limiter.request("new");
  await pause(700);
  const early = begun.join(" ");
  await pause(3000);
  return `${title}: ${early} in the first second, ${begun.length} in 4 s`;
}

(async () => {
  const lines = await Promise.all([
    run("4 in a pause", 4, true),
    run("20 in a pause", 20, true),
    run("control, 4 without a pause", 4, false),
    run("control, 1 in a pause", 1, true),
  ]);
  console.log(lines.join("\n"));
  process.exit();
})();
PROGRAM

as_stated '4 in a pause: 1 new in the first second, 4 in 4 s
20 in a pause: 1 new in the first second, 4 in 4 s
control, 4 without a pause: 1 2 3 4 new in the first second, 5 in 4 s
control, 1 in a pause: 1 new in the first second, 2 in 4 s' "$(node "$tmp/resumed.js" 2>&1)"
