#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: async-scheduler 1.4.4 (npm).
# Expected: the scheduler is made with the number of tasks that may be executed at a time, and keeps it.
# Really: it counts the free places once and then begins a task for each of them. A task that throws before its first
#   wait ends within this loop, and its end begins as many others as may be executed. The loop goes on and begins those
#   that it had counted as well: with one such task in front 3 of 2 are executed, with two in front 13 of 5.
# Seen: the lines at the end of this script. Control: the same tasks fail after their first wait.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages async-scheduler@1.4.4

cat >"$tmp/thrown.js" <<'PROGRAM'
const {Scheduler} = require("async-scheduler");
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

// Some tasks fail, and thirty that last follow.
async function run(title, limit, count, fail) {
  const scheduler = new Scheduler(limit, {disableLogging: true});
  let executed = 0, most = 0, done = 0;
  const work = async () => {
    most = Math.max(most, ++executed);
    await pause(50);
    --executed;
    ++done;
  };
  const failing = Array.from({length: count}, () => scheduler.enqueue(fail));
  const working = Array.from({length: 30}, () => scheduler.enqueue(work));
  await Promise.allSettled([...failing, ...working]);
  console.log(`${title}: ${most} of ${limit} at a time, ${done} done`);
}

(async () => {
  const thrown = () => { throw new Error("not today"); };
  const rejected = async () => thrown();
  await run("1 throws", 2, 1, thrown);
  await run("2 throw", 5, 2, thrown);
  await run("control, 1 is rejected", 2, 1, rejected);
  await run("control, 2 are rejected", 5, 2, rejected);
})();
PROGRAM

as_stated '1 throws: 3 of 2 at a time, 30 done
2 throw: 13 of 5 at a time, 30 done
control, 1 is rejected: 2 of 2 at a time, 30 done
control, 2 are rejected: 5 of 5 at a time, 30 done' "$(node "$tmp/thrown.js")"
