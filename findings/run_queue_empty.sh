#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: run-queue 2.0.1 (npm).
# Expected: the README says that the promise of run() resolves when all jobs are complete, and that jobs may be added
#   while the queue runs, up to its maxConcurrency at a time.
# Really: only the end of a job looks at the queue. Of an empty queue run() never resolves, and a job that is added to it
#   later does not begin. A job that is added while another one runs waits for that one's end, beside two free places.
# Seen: the lines at the end of this script. Control: all jobs are there before run().

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages run-queue@2.0.1

cat >"$tmp/empty.js" <<'PROGRAM'
const RunQueue = require("run-queue");

async function later() {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}

// Jobs that are there before run(), and jobs that are added when it has begun.
async function run(title, before, added) {
  const queue = new RunQueue({maxConcurrency: 3});
  const ends = [];
  const job = () => new Promise((resolve) => ends.push(resolve));
  for (let number = 0; number < before; number++) queue.add(1, job);
  let told = "waits";
  queue.run().then(() => (told = "is told"));
  await later();
  for (let number = 0; number < added; number++) queue.add(1, job);
  await later();
  const running = ends.length;
  while (ends.length) {
    ends.shift()();
    await later();
  }
  console.log(`${title}: ${running} of ${before + added} run at first, in the end who called run() ${told}`);
}

(async () => {
  await run("an empty queue", 0, 0);
  await run("an empty queue, one job added later", 0, 1);
  await run("one job, two added while it runs", 1, 2);
  await run("control, three jobs", 3, 0);
})();
PROGRAM

as_stated 'an empty queue: 0 of 0 run at first, in the end who called run() waits
an empty queue, one job added later: 0 of 1 run at first, in the end who called run() waits
one job, two added while it runs: 1 of 3 run at first, in the end who called run() is told
control, three jobs: 3 of 3 run at first, in the end who called run() is told' "$(node "$tmp/empty.js")"
