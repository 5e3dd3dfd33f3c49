#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: @goodware/task-queue 2.1.3 (npm).
# Expected: the README says that "workers" is the number of tasks that can execute simultaneously. A task that pushes
#   another one gives it to the queue, and it is called when a worker is available.
# Really: a task is counted after it has been called. What it pushes before its first wait finds its worker still free
#   and is called at once, and so on: a queue of one worker executes a chain of five tasks at the same time.
# Seen: the lines at the end of this script. Controls: the tasks push after their first wait; all are pushed from
#   outside.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages @goodware/task-queue@2.1.3

cat >"$tmp/nested.js" <<'PROGRAM'
const TaskQueue = require("@goodware/task-queue");
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

// Each of five tasks pushes the next one, before its first wait or after it, or all are pushed from outside.
async function run(title, workers, when) {
  const queue = new TaskQueue({size: 10, workers});
  let executed = 0, most = 0, done = 0;
  const task = (number) => async () => {
    const next = () => { if (number < 5) queue.push(task(number + 1)); };
    most = Math.max(most, ++executed);
    if (when === "before") next();
    await pause(50);
    if (when === "after") next();
    --executed;
    ++done;
  };
  if (when === "outside") {
    await Promise.all(Array.from({length: 5}, () => queue.push(task(5))));
  } else {
    queue.push(task(1));
  }
  await pause(1500);
  console.log(`${title}: ${most} at a time, ${done} done`);
}

(async () => {
  await run("1 worker, each task pushes the next one at its start", 1, "before");
  await run("2 workers, each task pushes the next one at its start", 2, "before");
  await run("control, 1 worker, at its end", 1, "after");
  await run("control, 1 worker, all from outside", 1, "outside");
})();
PROGRAM

as_stated '1 worker, each task pushes the next one at its start: 5 at a time, 5 done
2 workers, each task pushes the next one at its start: 5 at a time, 5 done
control, 1 worker, at its end: 1 at a time, 5 done
control, 1 worker, all from outside: 1 at a time, 5 done' "$(node "$tmp/nested.js")"
