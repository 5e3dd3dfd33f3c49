#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: swimmer 1.4.0 (npm).
# Expected: createPool() makes a pool with a concurrency and a queue of its own. A pool of 1 runs one of its tasks at a
#   time, and a pool that was made with "started: false" runs nothing before start().
# Really: all pools that are made without the option "tasks" share one queue, because its default is one array of the
#   module. Each pool takes from it what it finds. The tasks of a pool of 1 run two at a time as soon as another pool of
#   1 exists, and the tasks of a pool that was not started run when somebody uses another pool.
# Seen: the lines at the end of this script. Controls: the same pools with "tasks: []".

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages swimmer@1.4.0

cat >"$tmp/queue.js" <<'PROGRAM'
const {createPool} = require("swimmer");
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

// Three tasks go into the pool for the database, one into the pool for mails. Both have a concurrency of 1.
async function beside(title, options) {
  const database = createPool({concurrency: 1, ...options()});
  const mails = createPool({concurrency: 1, ...options()});
  let queries = 0, most = 0;
  const query = () => async () => {
    most = Math.max(most, ++queries);
    await pause(100);
    --queries;
  };
  const all = [database.add(query()), database.add(query()), database.add(query()), mails.add(() => pause(10))];
  await Promise.all(all);
  console.log(`${title}: ${most} at a time in the pool for the database`);
}

async function stopped(title, options) {
  const later = createPool({started: false, ...options()});
  let ran = false;
  later.add(async () => { ran = true; });
  await pause(50);
  const before = ran;
  createPool(options()).add(async () => {});
  await pause(50);
  console.log(`${title}: alone ${before ? "runs" : "waits"}, beside another pool ${ran ? "runs" : "waits"}`);
}

(async () => {
  const none = () => ({}), own = () => ({tasks: []});
  await beside("two pools of 1", none);
  await stopped("a task of a pool that was not started", none);
  await beside("control, two pools of 1 with tasks of their own", own);
  await stopped("control, a task of a pool with tasks of its own that was not started", own);
})();
PROGRAM

as_stated 'two pools of 1: 2 at a time in the pool for the database
a task of a pool that was not started: alone waits, beside another pool runs
control, two pools of 1 with tasks of their own: 1 at a time in the pool for the database
control, a task of a pool with tasks of its own that was not started: alone waits, beside another pool waits' \
    "$(node "$tmp/queue.js")"
