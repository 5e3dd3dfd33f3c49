#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: @mixmaxhq/promise-pool 2.0.0 (npm).
# Expected: at most numConcurrent functions run at a time. flush() returns when all started or queued ones are done.
# Really: at the end of a function its place is taken from the count and given to who waits, who counts it again some
#   turns later. In between the place looks free: a function that starts the next one when its work is done runs beside
#   the waiter, and a flush() at that moment returns at once, before the waiter has begun.
# Seen: the lines at the end of this script. Controls: the next one, and the flush, come a moment later.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages @mixmaxhq/promise-pool@2.0.0

cat >"$tmp/between.js" <<'PROGRAM'
const PromisePool = require("@mixmaxhq/promise-pool");
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

async function run(title, later, flush) {
  const pool = new PromisePool({numConcurrent: 1, maxPending: 5});
  let running = 0, most = 0, done = 0;
  const work = async () => {
    most = Math.max(most, ++running);
    await pause(20);
    running--;
    done++;
  };
  let told = "";
  const next = async () => {
    if (flush) {
      await pool.flush();
      told = `, flush() returned after ${done} of 2`;
    } else {
      await pool.start(work);
    }
  };
  let end;
  await pool.start(() => end = work());
  pool.start(work);
  await pause(5);
  end.then(later ? () => pause(5).then(next) : next);
  await pause(200);
  console.log(`${title}: at most ${most} of 1 ran${told}`);
}

(async () => {
  await run("the next one is started at the end of the first", false, false);
  await run("flush() at the end of the first", false, true);
  await run("control, the next one 5 ms later", true, false);
  await run("control, flush() 5 ms later", true, true);
})();
PROGRAM

as_stated 'the next one is started at the end of the first: at most 2 of 1 ran
flush() at the end of the first: at most 1 of 1 ran, flush() returned after 1 of 2
control, the next one 5 ms later: at most 1 of 1 ran
control, flush() 5 ms later: at most 1 of 1 ran, flush() returned after 2 of 2' "$(node "$tmp/between.js")"
