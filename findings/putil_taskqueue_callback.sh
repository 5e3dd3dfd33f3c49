#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: putil-taskqueue 2.5.5 (npm).
# Expected: the queue runs one task at a time; a task takes a callback that it calls when it is done, or returns a promise.
# Really: a task that takes the callback counts as done when it has returned: all tasks of a queue run at once, and each
#   caller is told undefined before its task is done, also if that fails.
# Seen: the lines at the end of this script. Control: tasks that return a promise.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages putil-taskqueue@2.5.5

cat >"$tmp/callback.js" <<'PROGRAM'
const module_ = require("putil-taskqueue");
const TaskQueue = module_.TaskQueue || module_;

async function run(title, makeTask) {
  const queue = new TaskQueue();
  let inside = 0, most = 0;
  const work = (number, end) => {
    most = Math.max(most, ++inside);
    setTimeout(() => { inside--; end(number === 5 ? new Error("failed") : null, number); }, 50);
  };
  const told = await Promise.all([1, 2, 3, 4, 5].map((number) =>
    queue.enqueue(makeTask(work, number)).then((value) => `${value}`, (error) => error.message)));
  console.log(`${title}: ${most} at a time, told ${told.join(", ")}`);
}

(async () => {
  await run("with a callback", (work, number) => (callback) => { work(number, callback); });
  await run("control, with a promise", (work, number) => () =>
    new Promise((resolve, reject) => work(number, (error, value) => (error ? reject(error) : resolve(value)))));
})();
PROGRAM

as_stated 'with a callback: 5 at a time, told undefined, undefined, undefined, undefined, undefined
control, with a promise: 1 at a time, told 1, 2, 3, 4, failed' "$(node "$tmp/callback.js")"
