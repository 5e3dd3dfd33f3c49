#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: vow-queue 0.4.3 (npm; with vow 0.4.20).
# Expected: the README says that start() starts and stop() stops the processing of tasks. A queue that was not started, or
#   was stopped, begins no task.
# Really: a run of the queue is scheduled for the next turn, and the run itself does not ask whether the queue is stopped.
#   setParams() schedules one in any case: with a new limit a stopped queue begins its tasks, though isStarted() says no.
#   What was enqueued in the turn of the stop() is begun as well. The results are kept back until the next start().
# Seen: the lines at the end of this script, with 5 tasks. Controls: no setParams(); the stop() a turn later, while one of
#   the tasks runs.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages vow-queue@0.4.3 vow@0.4.20

cat >"$tmp/stopped.js" <<'PROGRAM'
const Queue = require("vow-queue");
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

async function run(title, weightLimit, act) {
  const queue = new Queue({weightLimit});
  let begun = 0, told = 0;
  const fill = () => {
    for (let number = 0; number < 5; ++number) {
      queue.enqueue(() => { ++begun; return pause(300); }).then(() => { ++told; });
    }
  };
  await act(queue, fill);
  await pause(1500);
  console.log(`${title}: started: ${queue.isStarted()}, begun ${begun} of 5, told to their callers ${told}`);
}

(async () => {
  await run("setParams() before start()", 1, (queue, fill) => { fill(); queue.setParams({weightLimit: 10}); });
  await run("stop() in the turn of enqueue()", 10, (queue, fill) => { queue.start(); fill(); queue.stop(); });
  await run("control, neither", 1, (queue, fill) => fill());
  await run("control, stop() a turn later, limit 1", 1, async (queue, fill) => {
    queue.start();
    fill();
    await pause(50);
    queue.stop();
  });
})();
PROGRAM

as_stated 'setParams() before start(): started: false, begun 5 of 5, told to their callers 0
stop() in the turn of enqueue(): started: false, begun 5 of 5, told to their callers 0
control, neither: started: false, begun 0 of 5, told to their callers 0
control, stop() a turn later, limit 1: started: false, begun 1 of 5, told to their callers 0' \
    "$(NODE_PATH="$tmp/node_modules" node "$tmp/stopped.js")"
