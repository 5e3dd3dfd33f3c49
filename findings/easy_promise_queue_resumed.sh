#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: easy-promise-queue 0.5.7 (npm).
# Expected: the README says that only as many promises are executed at a time as `concurrency` says, and that the queue
#   can be paused and resumed at any time, while ongoing promises keep running.
# Really: resume() counts as the end of a task, and the ends in a pause are not counted. A pause in which nothing ends
#   lets one more in for good: after five of them seven run of two. After a pause in which three end one place of three
#   is left, and nothing brings the others back.
# Seen: the lines at the end of this script. Control: one task ends in the pause.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages easy-promise-queue@0.5.7

cat >"$tmp/resumed.js" <<'PROGRAM'
const Queue = require("easy-promise-queue").default;
const later = () => new Promise((resolve) => setImmediate(resolve));

// Twenty tasks that run until they are ended; `ends` of them end in each of `pauses` pauses.
async function run(title, concurrency, pauses, ends) {
  const queue = new Queue({concurrency});
  const running = [];
  for (let task = 0; task < 20; task++) queue.add(() => new Promise((resolve) => running.push(resolve)));
  for (let pause = 0; pause < pauses; pause++) {
    queue.pause();
    for (let end = 0; end < ends; end++) running.shift()();
    await later();
    queue.resume();
    await later();
  }
  console.log(`${title}: ${running.length} run of ${concurrency}, ${queue.waitingCount} wait`);
  // Each later end brings one more, however many places there are.
  for (let end = 0; end < 3; end++) {
    running.shift()();
    await later();
  }
  console.log(`  three ends later: ${running.length} run`);
}

(async () => {
  await run("a pause in which nothing ends", 2, 1, 0);
  await run("five pauses in which nothing ends", 2, 5, 0);
  await run("a pause in which all three end", 3, 1, 3);
  await run("control, a pause in which one ends", 3, 1, 1);
})();
PROGRAM

as_stated 'a pause in which nothing ends: 3 run of 2, 17 wait
  three ends later: 3 run
five pauses in which nothing ends: 7 run of 2, 13 wait
  three ends later: 7 run
a pause in which all three end: 1 run of 3, 16 wait
  three ends later: 1 run
control, a pause in which one ends: 3 run of 3, 16 wait
  three ends later: 3 run' "$(node "$tmp/resumed.js")"
