#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: bucket-queue 1.0.1 (npm).
# Expected: the README says "max number of calls per interval", and that bucketCount is how many have started within the
#   present window. With 6 in a minute, one call in half a minute never waits.
# Really: each call begins the window anew, and the count falls only when a window ends. Calls that come steadily are
#   counted for ever: of one in 30 s, two in a minute, each seventh waits for half a minute beside an empty bucket.
# Seen: the lines at the end of this script. The time is told to _tick(), which start() calls with the time that has
#   passed. Control: calls further apart than a window.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages bucket-queue@1.0.1

cat >"$tmp/program.js" <<'PROGRAM'
const BucketQueue = require("bucket-queue");

// One call in each so many milliseconds, with the time told by hand: _tick(elapsed) is what start() calls.
function run(title, gap) {
  const queue = BucketQueue({calls: 6, perInterval: 60000});
  const waits = [];
  let now = 0;
  for (let call = 0; call < 20; ++call) {
    const asked = now;
    queue.add(async () => { waits.push(now - asked); });
    queue._tick(0);
    for (let passed = 0; passed < gap; passed += 1000) {
      now += 1000;
      queue._tick(1000);
    }
  }
  console.log(`${title}: waited, in seconds: ${waits.map((wait) => wait / 1000).join(" ")}`);
}

run("one in 30 s", 30000);
run("one in 59 s", 59000);
run("one in 61 s", 61000);
PROGRAM

as_stated 'one in 30 s: waited, in seconds: 0 0 0 0 0 0 30 0 0 0 0 0 30 0 0 0 0 0 30 0
one in 59 s: waited, in seconds: 0 0 0 0 0 0 1 0 0 0 0 0 1 0 0 0 0 0 1 0
one in 61 s: waited, in seconds: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0' "$(node "$tmp/program.js")"
