#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: @metcoder95/tiny-pool 4.0.0 (npm).
# Expected: drain() waits for the tasks that run; those that wait are not executed until the draining is done, says the
#   README under `drain`.
# Really: nobody looks at the queue when the drain is over: what waits sleeps beside an empty pool, until a newcomer has
#   come and gone, who is served first.
# Seen: the lines at the end of this script. Control: no drain.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages @metcoder95/tiny-pool@4.0.0

cat >"$tmp/drained.js" <<'PROGRAM'
const {AsyncPool} = require("@metcoder95/tiny-pool");
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

async function run(title, drain) {
  const pool = new AsyncPool({maxConcurrent: 2, maxEnqueued: 10});
  const order = [];
  const task = (name) => async () => { order.push(name); await pause(50); };
  for (const name of ["a", "b", "c", "d"]) pool.run(task(name));
  if (drain) await pool.drain();
  await pause(500);
  const first = order.join(" ");
  pool.run(task("newcomer"));
  await pause(500);
  console.log(`${title}: of a b c d have run: ${first}; after a newcomer: ${order.join(" ")}`);
}

(async () => {
  await run("drain()", true);
  await run("control", false);
})();
PROGRAM

as_stated 'drain(): of a b c d have run: a b; after a newcomer: a b newcomer c d
control: of a b c d have run: a b c d; after a newcomer: a b c d newcomer' "$(node "$tmp/drained.js")"
