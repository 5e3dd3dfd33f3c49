#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: awaitqueue 3.3.0 (npm).
# Expected: the queue runs one task at a time. stop() rejects those that are in it, remove() one of them, and the queue
#   remains usable, as the README says.
# Really: both count the task that runs as one of those that are in the queue, and forget it while it runs on. After
#   remove(0) the next task begins beside it, after stop() the first one that is pushed. After four of either five tasks
#   run at a time.
# Seen: the lines at the end of this script. Controls: a task is removed that waits; nobody removes.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages awaitqueue@3.3.0

cat >"$tmp/removed.js" <<'PROGRAM'
const {AwaitQueue} = require("awaitqueue");
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

// Three tasks in the queue, of which the first one runs. Something happens, and one more comes; four times.
async function run(title, event) {
  const queue = new AwaitQueue();
  let running = 0, most = 0;
  const push = () => queue.push(async () => {
    most = Math.max(most, ++running);
    await pause(1000);
    --running;
  }).catch(() => {});
  [1, 2, 3].forEach(push);
  for (let round = 0; round < 4; ++round) {
    await pause(50);
    event(queue);
    push();
  }
  await pause(300);
  console.log(`${title}: ${most} at a time`);
}

(async () => {
  await run("stop()", (queue) => queue.stop());
  await run("remove(0)", (queue) => queue.remove(0));
  await run("control, remove(1)", (queue) => queue.remove(1));
  await run("control, nothing", () => {});
  process.exit();
})();
PROGRAM

as_stated 'stop(): 5 at a time
remove(0): 5 at a time
control, remove(1): 1 at a time
control, nothing: 1 at a time' "$(node "$tmp/removed.js")"
