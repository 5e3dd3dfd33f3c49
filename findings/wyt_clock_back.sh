#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: wyt 2.0.1 (npm).
# Expected: the README says that wyt(5, 1000) lets 5 requests through in each second. Nobody has to wait for more than the
#   requests before it need.
# Really: it reckons with the time of day. When the clock is set back, by an hour for instance, the time that has passed is
#   less than nothing, and the missing hour is taken away from what is free: the next request waits for an hour, although
#   nobody has asked before it, and the ones behind it for longer. When the clock is set forward nothing of the kind
#   happens, there is a bound.
# Seen: the lines at the end of this script; the clock and the timers are the program's own. Controls: the clock goes on; it
#   is set forward by an hour.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages wyt@2.0.1

cat >"$tmp/back.js" <<'PROGRAM'
const wyt = require("wyt");
let now = 1e12;
Date.now = () => now;
// A wait is over at once and is told.
globalThis.setTimeout = (callback) => setImmediate(callback);

async function run(title, seconds) {
  const limit = wyt(5, 1000);
  const before = await limit();
  now += seconds * 1000;
  const waits = [];
  for (let number = 0; number < 7; ++number) {
    waits.push(await limit());
  }
  console.log(`${title}: the first one waits ${before} ms; then ${waits.join(", ")} ms`);
}

(async () => {
  await run("back by an hour", -3600);
  await run("control, a second later", 1);
  await run("control, forward by an hour", 3600);
})();
PROGRAM

as_stated 'back by an hour: the first one waits 0 ms; then 3599400, 3599600, 3599800, 3600000, 3600200, 3600400, 3600600 ms
control, a second later: the first one waits 0 ms; then 0, 0, 0, 0, 0, 200, 400 ms
control, forward by an hour: the first one waits 0 ms; then 0, 0, 0, 0, 0, 200, 400 ms' \
    "$(NODE_PATH="$tmp/node_modules" node "$tmp/back.js")"
