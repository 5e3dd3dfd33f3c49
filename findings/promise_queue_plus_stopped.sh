#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: promise-queue-plus 1.2.2 (npm).
# Expected: stop() stops the queue: what runs ends, what waits is not begun before start().
# Really: a task that fails and is tried again goes back to the queue in a way that starts the queue. If one of the tasks that
#   run at the time of the stop fails, all that wait are executed, and nobody has called start().
# Seen: the lines at the end of this script. Controls: no task fails; the task that fails is not tried again.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages promise-queue-plus@1.2.2

cat >"$tmp/stopped.js" <<'PROGRAM'
const Queue = require("promise-queue-plus");
const later = () => new Promise((resolve) => setImmediate(resolve));

// One task runs while the queue is stopped and five more wait. Then it ends.
async function run(title, retry, fails) {
  const queue = new Queue(1, {retry});
  const begun = [];
  let end;
  queue.go(() => new Promise((resolve, reject) => { end = fails && !end ? reject : resolve; })).catch(() => {});
  await later();
  for (let task = 1; task <= 5; task++) queue.push(async () => { begun.push(task); }).catch(() => {});
  queue.stop();
  end();
  for (let turn = 0; turn < 100; turn++) {
    await later();
    end();
  }
  const stopped = begun.length;
  queue.start();
  for (let turn = 0; turn < 100; turn++) {
    await later();
    end();
  }
  console.log(`${title}: of 5 that wait ${stopped} have begun while the queue is stopped, ${begun.length} after start()`);
}

(async () => {
  await run("the task fails and is tried again", 1, true);
  await run("control, it does not fail", 1, false);
  await run("control, it fails and is not tried again", 0, true);
})();
PROGRAM

as_stated 'the task fails and is tried again: of 5 that wait 5 have begun while the queue is stopped, 5 after start()
control, it does not fail: of 5 that wait 0 have begun while the queue is stopped, 5 after start()
control, it fails and is not tried again: of 5 that wait 0 have begun while the queue is stopped, 5 after start()' \
    "$(timeout 50 node "$tmp/stopped.js")"
