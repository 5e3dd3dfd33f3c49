#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: promise-task-queue 1.2.0 (npm).
# Expected: with a concurrency of 1 one task runs at a time, whatever those do who listen to the queue for metrics.
# Really: the events are told within the bookkeeping. If a listener of "success" fails, the task that has succeeded counts
#   as failed as well, and its place is given back a second time: after three such errors four tasks run at a time, and
#   "failed" is told of tasks whose callers got their answers.
# Seen: the lines at the end of this script. Control: the listener does not fail.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages promise-task-queue@1.2.0

cat >"$tmp/listener.js" <<'PROGRAM'
const createQueue = require("promise-task-queue");
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

async function run(title, errors) {
  const queue = createQueue();
  let running = 0, most = 0, failed = 0, left = errors;
  queue.define("job", async () => {
    most = Math.max(most, ++running);
    await pause(10);
    running--;
    return "answer";
  }, {concurrency: 1});
  queue.on("success:job", () => { if (left-- > 0) throw new Error("no metrics"); });
  queue.on("failed:job", () => { failed++; });
  const answers = [];
  for (let call = 0; call < 3; call++) {
    answers.push(await queue.push("job", call));
    await pause(20);
  }
  most = 0;
  await Promise.all(Array.from({length: 10}, (none, call) => queue.push("job", call)));
  console.log(`${title}: ${answers.length} got their answers, ${failed} told as failed, then ${most} of 1 run at a time`);
}

(async () => {
  await run("the listener fails once", 1);
  await run("the listener fails three times", 3);
  await run("control", 0);
})();
PROGRAM

as_stated 'the listener fails once: 3 got their answers, 1 told as failed, then 2 of 1 run at a time
the listener fails three times: 3 got their answers, 3 told as failed, then 4 of 1 run at a time
control: 3 got their answers, 0 told as failed, then 1 of 1 run at a time' "$(node "$tmp/listener.js")"
