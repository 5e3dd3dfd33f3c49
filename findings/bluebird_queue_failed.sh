#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: bluebird-queue 0.0.8 (npm).
# Expected: with a concurrency of 4 four tasks run at a time, as long as there are as many. A task that fails is told to
#   onError, and what is added later is done.
# Really: a task that fails leaves the queue at work for ever: what is added later waits, and is never done. Of the last
#   ones half run beside free places: four are done two, one and one at a time, seven in rounds of four, two and one.
# Seen: the lines at the end of this script. Control: no task fails.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages bluebird-queue@0.0.8

cat >"$tmp/failed.js" <<'PROGRAM'
const Queue = require("bluebird-queue");
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

async function later(title, fails) {
  const errors = [];
  const queue = new Queue({concurrency: 4, interval: 50, onError: (error) => errors.push(error.message)});
  queue.addNow(() => pause(10).then(() => { if (fails) throw new Error("refused"); }));
  await pause(100);
  let done = 0;
  for (let task = 0; task < 10; task++) {
    queue.addNow(() => pause(10).then(() => { done++; }));
  }
  await pause(1000);
  console.log(`${title}: ${done} of 10 that came later are done${errors.length ? ", told " + errors : ""}`);
}

async function rounds(title, count) {
  const queue = new Queue({concurrency: 4, interval: 50});
  const sizes = [];
  let running = 0;
  queue.add(Array.from({length: count}, () => () => {
    running++;
    return pause(20).then(() => { if (running) { sizes.push(running); running = 0; } });
  }));
  await queue.start();
  console.log(`${title}: at a time ${sizes.join(", ")}`);
}

(async () => {
  await later("a task fails", true);
  await later("control, no task fails", false);
  await rounds("four tasks", 4);
  await rounds("seven tasks", 7);
  await rounds("thirteen tasks", 13);
  process.exit();
})();
PROGRAM

as_stated 'a task fails: 0 of 10 that came later are done, told refused
control, no task fails: 10 of 10 that came later are done
four tasks: at a time 2, 1, 1
seven tasks: at a time 4, 2, 1
thirteen tasks: at a time 4, 4, 3, 1, 1' "$(node "$tmp/failed.js")"
