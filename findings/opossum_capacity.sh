#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: opossum 9.0.0 (npm).
# Expected: `capacity` is how many calls of the function run at once; more are refused until one of them has completed, as
#   the description of the option says.
# Really: a call whose `timeout` is over gives its place back while it still runs. A service that hangs is sent one more
#   call for each time-out: with a capacity of 1 five run at once.
# Seen: the lines at the end of this script. Controls: the same five at once; the function ends when its time is up; no
#   time-out.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages opossum@9.0.0

cat >"$tmp/capacity.js" <<'PROGRAM'
const CircuitBreaker = require("opossum");

// Five calls through one breaker of capacity 1 that never opens.
async function run(title, {timeout, isTogether, ends}) {
  let running = 0, most = 0;
  const begin = () => {
    most = Math.max(most, ++running);
    return new Promise((resolve, reject) => ends && setTimeout(() => { running--; reject(new Error("hung up")); }, 30));
  };
  const breaker = new CircuitBreaker(begin, {capacity: 1, timeout, errorThresholdPercentage: 100, volumeThreshold: 1000});
  const told = [];
  const fire = () => Promise.race([breaker.fire().catch((error) => error.code ?? error.message),
    new Promise((resolve) => setTimeout(() => resolve("waits"), 3000))]).then((answer) => told.push(answer));
  if (isTogether) {
    await Promise.all([1, 2, 3, 4, 5].map(fire));
  } else {
    for (let index = 0; index < 5; index++) {
      await fire();
    }
  }
  console.log(`${title}: at most ${most} at once; ${told.sort().join(", ")}`);
}

(async () => {
  await run("it hangs", {timeout: 50});
  await run("control, all five at once", {timeout: 50, isTogether: true});
  await run("control, it ends by itself", {timeout: 100_000, ends: true});
  await run("control, no time-out", {timeout: false, isTogether: true});
  process.exit(0);
})();
PROGRAM

as_stated 'it hangs: at most 5 at once; ETIMEDOUT, ETIMEDOUT, ETIMEDOUT, ETIMEDOUT, ETIMEDOUT
control, all five at once: at most 1 at once; ESEMLOCKED, ESEMLOCKED, ESEMLOCKED, ESEMLOCKED, ETIMEDOUT
control, it ends by itself: at most 1 at once; hung up, hung up, hung up, hung up, hung up
control, no time-out: at most 1 at once; ESEMLOCKED, ESEMLOCKED, ESEMLOCKED, ESEMLOCKED, waits' \
    "$(NODE_PATH="$tmp/node_modules" node "$tmp/capacity.js")"
