#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: @openally/mutex 2.0.0 (npm).
# Expected: the README presents a mutex, or semaphore, with a "concurrency". With a concurrency of 1 one caller holds it
#   at a time.
# Really: the function that gives the place back lowers the count and wakes the first waiter. The waiter raises the
#   count only when its promise continues, one turn later. A caller that gives the place back and asks again in the same
#   turn, as each loop does, finds a free place and gets in. So does the waiter: both hold a mutex of one. "running"
#   says 2.
# Seen: the lines at the end of this script. Controls: each caller comes once, as in the example of the README; a caller
#   pauses before it asks again.
# The package asks for Node 20 and calls Promise.withResolvers(), which came with Node 22. The program adds it.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages @openally/mutex@2.0.0

cat >"$tmp/again.js" <<'PROGRAM'
Promise.withResolvers ??= () => {
  const parts = {};
  parts.promise = new Promise((resolve, reject) => Object.assign(parts, {resolve, reject}));
  return parts;
};
const {Mutex} = require("@openally/mutex");
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

// Each worker takes the lock for a while, several times.
async function run(title, concurrency, workers, rounds, pauses) {
  const lock = new Mutex({concurrency});
  let holders = 0, most = 0, counted = 0;
  async function work() {
    for (let round = 0; round < rounds; ++round) {
      const free = await lock.acquire();
      most = Math.max(most, ++holders);
      counted = Math.max(counted, lock.running);
      await pause(20);
      --holders;
      free();
      if (pauses) {
        await pause(20);
      }
    }
  }
  await Promise.all(Array.from({length: workers}, work));
  console.log(`${title}: ${most} at a time, "running" is ${counted}`);
}

(async () => {
  await run("1 place, 2 workers in a loop", 1, 2, 5, false);
  await run("2 places, 8 workers in a loop", 2, 8, 5, false);
  await run("control, 1 place, 5 workers once each", 1, 5, 1, false);
  await run("control, 1 place, 2 workers that pause", 1, 2, 5, true);
})();
PROGRAM

as_stated '1 place, 2 workers in a loop: 2 at a time, "running" is 2
2 places, 8 workers in a loop: 3 at a time, "running" is 3
control, 1 place, 5 workers once each: 1 at a time, "running" is 1
control, 1 place, 2 workers that pause: 1 at a time, "running" is 1' "$(node "$tmp/again.js")"
