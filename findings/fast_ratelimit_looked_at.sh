#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: fast-ratelimit 3.0.1 (npm).
# Expected: hasToken() only looks: with 5 tokens in 2 s a caller gets 5 in 2 s, however often it looked before.
# Really: each look at a name of which nothing is noted sets a timer that deletes what is noted then: after looks at
#   0.0, 0.2 and 0.4 s the count of who begins at 1.9 s is deleted at 2.0, at 2.2 and at 2.4 s.
# Seen: the lines at the end of this script, with timers of the program. Control: nobody looks.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages fast-ratelimit@3.0.1

cat >"$tmp/looked.js" <<'PROGRAM'
// Timers whose time is told by the program.
let now = 0, timers = [];
global.setTimeout = (callback, time) => { timers.push({callback, at: now + time}); };
function advance(time) {
  now += time;
  const due = timers.filter(({at}) => at <= now);
  timers = timers.filter(({at}) => at > now);
  due.forEach(({callback}) => callback());
}

const {FastRateLimit} = require("fast-ratelimit");

function run(title, looks) {
  const limiter = new FastRateLimit({threshold: 5, ttl: 2});
  for (let i = 0; i < 3; i++) {
    if (looks) limiter.hasTokenSync("caller");
    advance(200);
  }
  advance(1300);
  // From 1.9 s on the caller asks each 10 ms, for one second.
  let granted = 0;
  for (let i = 0; i < 100; i++) {
    if (limiter.consumeSync("caller")) granted++;
    advance(10);
  }
  console.log(`${title}: ${granted} in 1 s, of 5 in 2 s`);
}

run("three looks before", true);
run("control", false);
PROGRAM

as_stated 'three looks before: 20 in 1 s, of 5 in 2 s
control: 5 in 1 s, of 5 in 2 s' "$(node "$tmp/looked.js")"
