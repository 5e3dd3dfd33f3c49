#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: queue-promise 2.2.1 (npm).
# Expected: the README says that `concurrent` tasks are executed in parallel and that `interval` is how often new ones
#   are. With 5 at a time and one slow task the other four places serve the queue.
# Really: tasks are taken in rounds, and no round begins before all of the last one have ended. One slow task stops the
#   queue: 4 of 5 places are free, a hundred wait, and newcomers wait behind them.
# Seen: the lines at the end of this script. Control: no task is slow.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages queue-promise@2.2.1

cat >"$tmp/slow.js" <<'PROGRAM'
const {mock} = require("node:test");
mock.timers.enable({apis: ["Date", "setTimeout"], now: 1e12});
const Queue = require("queue-promise");
const later = () => new Promise((resolve) => setImmediate(resolve));

async function pause(seconds) {
  for (let second = 0; second < seconds; second++) {
    mock.timers.tick(1000);
    await later();
  }
}

async function run(title, slow) {
  const queue = new Queue({concurrent: 5, interval: 500});
  let began = 0, ended = 0, end;
  const task = async () => {
    began++;
    await null;
    ended++;
  };
  if (slow) queue.enqueue(() => new Promise((resolve) => (end = resolve)));
  for (let number = 0; number < 100; number++) queue.enqueue(task);
  await pause(300);
  console.log(`${title}: of 100 quick tasks ${began} began and ${ended} ended, ${queue.size} wait`);
  if (!slow) return;
  end();
  await pause(300);
  console.log(`  when it has ended: ${began} began`);
}

(async () => {
  await run("one slow task, five minutes later", true);
  await run("control, none", false);
})();
PROGRAM

as_stated 'one slow task, five minutes later: of 100 quick tasks 4 began and 4 ended, 96 wait
  when it has ended: 100 began
control, none: of 100 quick tasks 100 began and 100 ended, 0 wait' "$(node --no-warnings "$tmp/slow.js")"
