#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: @supercharge/promise-pool 3.3.0 (npm).
# Expected: the running pool has useConcurrency(): when the limit is raised from 1 to 3 two more tasks begin.
# Really: nobody looks at it before a running task has ended. A pool whose only task hangs stays at one however often
#   the limit is raised, with three places and a full list.
# Seen: the lines at the end of this script. Controls: a limit of 3 from the beginning; it is raised and a task ends.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages @supercharge/promise-pool@3.3.0

cat >"$tmp/raised.js" <<'PROGRAM'
const {PromisePool} = require("@supercharge/promise-pool");
const settled = () => new Promise((resolve) => setTimeout(resolve, 200));

// Nine tasks, each of which runs until it is ended.
async function run(title, {limit, raised, ends}) {
  const running = new Set();
  let pool;
  PromisePool.withConcurrency(limit).for([...Array(9).keys()]).process((item, index, own) => {
    pool = own;
    return new Promise((resolve) => running.add(resolve));
  });
  await settled();
  const told = [`limit ${limit}: ${running.size} run`];
  for (const value of raised ?? []) {
    pool.useConcurrency(value);
    await settled();
    told.push(`limit ${value}: ${running.size} run`);
  }
  if (ends) {
    const [first] = running;
    running.delete(first);
    first();
    await settled();
    told.push(`one has ended: ${running.size} run`);
  }
  console.log(`${title}: ${told.join("; ")}`);
}

(async () => {
  await run("raised", {limit: 1, raised: [3, 9]});
  await run("control, from the beginning", {limit: 3});
  await run("control, raised, and a task ends", {limit: 1, raised: [3], ends: true});
  process.exit(0);
})();
PROGRAM

as_stated 'raised: limit 1: 1 run; limit 3: 1 run; limit 9: 1 run
control, from the beginning: limit 3: 3 run
control, raised, and a task ends: limit 1: 1 run; limit 3: 1 run; one has ended: 3 run' \
    "$(NODE_PATH="$tmp/node_modules" node "$tmp/raised.js")"
