#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: advanced-pool 0.3.3 (npm).
# Expected: the README says that close() sends an error to all pending acquire() calls.
# Really: the last one of the queue is told as often as callers wait, and the others are told nothing: of three callers
#   two sleep for ever, and the third one's callback runs three times.
# Seen: the lines at the end of this script. Control: one caller waits.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages advanced-pool@0.3.3

cat >"$tmp/closed.js" <<'PROGRAM'
const {Pool, TimedQueue} = require("advanced-pool");
const later = () => new Promise((resolve) => setImmediate(resolve));

async function run(title, callers, queue) {
  const pool = new Pool({min: 0, max: 1, create: (done) => done(null, {}), queue});
  pool.acquire(() => {});
  await later();
  const told = {};
  for (const name of callers) {
    told[name] = 0;
    pool.acquire((error) => (told[name] += error.name == "CloseError"));
  }
  await later();
  pool.close();
  await later();
  console.log(`${title}: ${callers.map((name) => `${name} is told ${told[name]} times`).join(", ")}`);
}

(async () => {
  await run("three wait, the pool is closed", ["A", "B", "C"]);
  await run("the same with a TimedQueue", ["A", "B", "C"], new TimedQueue());
  await run("control, one waits", ["A"]);
})();
PROGRAM

as_stated 'three wait, the pool is closed: A is told 0 times, B is told 0 times, C is told 3 times
the same with a TimedQueue: A is told 0 times, B is told 0 times, C is told 3 times
control, one waits: A is told 1 times' "$(node "$tmp/closed.js")"
