#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: sb-promise-queue 2.1.1 (npm).
# Expected: waitTillIdle() returns when the queue has nothing to do, for each one who waits.
# Really: who is told takes itself out of the list while the list is walked through, so that the next one is passed over:
#   of two who wait one sleeps, of ten five, beside an idle queue. The end of later work tells half of them.
# Seen: the lines at the end of this script. Control: one waits.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages sb-promise-queue@2.1.1

cat >"$tmp/idle.js" <<'PROGRAM'
const {PromiseQueue} = require("sb-promise-queue");
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

async function run(title, waiters) {
  const queue = new PromiseQueue({concurrency: 2});
  let told = 0;
  queue.add(() => pause(20));
  for (let waiter = 0; waiter < waiters; waiter++) {
    queue.waitTillIdle().then(() => told++);
  }
  await pause(100);
  const first = told;
  await queue.add(() => pause(20));
  await pause(20);
  console.log(`${title}: ${first} are told, ${told} after one more task`);
}

(async () => {
  await run("two wait", 2);
  await run("ten wait", 10);
  await run("control, one waits", 1);
})();
PROGRAM

as_stated 'two wait: 1 are told, 2 after one more task
ten wait: 5 are told, 8 after one more task
control, one waits: 1 are told, 1 after one more task' "$(node "$tmp/idle.js")"
