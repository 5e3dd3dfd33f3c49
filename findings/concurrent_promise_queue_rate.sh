#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: concurrent-promise-queue 1.1.0 (npm).
# Expected: the README says that it can run at most 10 promises every 5 seconds, for example.
# Really: it counts the promises that have ended, not those that have begun, and each one that is added looks anew: of fifty
#   requests that are added together all fifty begin at once.
# Seen: the lines at the end of this script. Control: each request is added when the one before it has ended.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages concurrent-promise-queue@1.1.0

cat >"$tmp/rate.js" <<'PROGRAM'
const {ConcurrentPromiseQueue} = require("concurrent-promise-queue");
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

async function run(title, length, together) {
  const queue = new ConcurrentPromiseQueue({unitOfTimeMillis: 5000, maxThroughputPerUnitTime: 10});
  let begun = 0;
  const request = () => { begun++; return pause(length); };
  (async () => {
    for (let number = 0; number < 50; number++) {
      const end = queue.addPromise(request);
      if (!together) {
        await end;
        await pause(5);
      }
    }
  })();
  await pause(2000);
  console.log(`${title}: ${begun} have begun after 2 s, under a limit of 10 in 5 s`);
}

(async () => {
  await run("fifty requests of 1 s", 1000, true);
  await run("fifty requests of 10 ms", 10, true);
  await run("control, one after the other, of 10 ms", 10, false);
  process.exit();
})();
PROGRAM

as_stated 'fifty requests of 1 s: 50 have begun after 2 s, under a limit of 10 in 5 s
fifty requests of 10 ms: 50 have begun after 2 s, under a limit of 10 in 5 s
control, one after the other, of 10 ms: 10 have begun after 2 s, under a limit of 10 in 5 s' "$(node "$tmp/rate.js")"
