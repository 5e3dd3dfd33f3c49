#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: promise-throttle 1.1.2 (npm).
# Expected: a call that is aborted while it waits leaves the queue, and takes nothing of the rate.
# Really: it waits for its turn, is told of the end only then, and takes the turn: behind five aborted calls the next one
#   waits for six intervals, in which nothing is called.
# Seen: the lines at the end of this script, in a clock of the script's own. Controls: nobody is aborted; the queue
#   without the five.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages promise-throttle@1.1.2

cat >"$tmp/aborted.js" <<'PROGRAM'
// Time goes on when nothing else can happen.
const RealDate = Date, later = setImmediate, timers = [];
let now = 1e12;
global.Date = class extends RealDate { constructor() { super(now); } };
global.setTimeout = (call, delay) => timers.push({at: now + delay, call});
const settled = () => new Promise((resolve) => later(resolve));
async function until_nothing_waits() {
  for (await settled(); timers.length; await settled()) {
    timers.sort((left, right) => left.at - right.at);
    const {at, call} = timers.shift();
    now = Math.max(now, at);
    call();
  }
}

const PromiseThrottle = require("promise-throttle");

// The first call uses the rate of 10 in a second. Behind it `others` wait, and then the last one.
async function run(title, others, aborted) {
  const throttle = new PromiseThrottle({requestsPerSecond: 10});
  const begin = now;
  const told = [];
  const tell = (what) => told.push(`${what} at ${now - begin} ms`);
  const abort = new AbortController();
  throttle.add(async () => tell("first"));
  for (let index = 1; index <= others; index++) {
    throttle.add(async () => tell(`call ${index}`), {signal: abort.signal})
        .catch(() => tell(`call ${index} is told of its end`));
  }
  throttle.add(async () => tell("last"));
  if (aborted) {
    abort.abort();
  }
  await until_nothing_waits();
  console.log(`${title}: ${told.join(", ")}`);
}

(async () => {
  await run("five are aborted", 5, true);
  await run("control, nobody is aborted", 5, false);
  await run("control, without the five", 0, false);
})();
PROGRAM

as_stated 'five are aborted: first at 0 ms, call 1 is told of its end at 100 ms, call 2 is told of its end at 200 ms, call 3 is told of its end at 300 ms, call 4 is told of its end at 400 ms, call 5 is told of its end at 500 ms, last at 600 ms
control, nobody is aborted: first at 0 ms, call 1 at 100 ms, call 2 at 200 ms, call 3 at 300 ms, call 4 at 400 ms, call 5 at 500 ms, last at 600 ms
control, without the five: first at 0 ms, last at 100 ms' \
    "$(NODE_PATH="$tmp/node_modules" node "$tmp/aborted.js")"
