#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Packages: infinite-timeout 0.1.0; the control is long-settimeout 1.0.1 (npm).
# Expected: set() returns the id by which clear() ends a time-out of any length.
# Really: a time-out beyond 24.8 days is made of parts, and each part has an id of its own: from the second part on the
#   id that the caller has means nothing, and what was cleared on day 30 runs on day 60.
# Seen: the lines at the end of this script, with timers of the program. Controls: it is cleared in the first part;
#   long-settimeout.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages infinite-timeout@0.1.0 long-settimeout@1.0.1

cat >"$tmp/cleared.js" <<'PROGRAM'
// Timers whose time is told by the program.
let now = 0, timers = [];
global.setTimeout = (callback, time) => {
  const timer = {callback, at: now + time, unref() {}};
  timers.push(timer);
  return timer;
};
global.clearTimeout = (timer) => { timers = timers.filter((other) => other !== timer); };
function advance(time) {
  const end = now + time;
  for (;;) {
    const [next] = timers.filter(({at}) => at <= end).sort((one, other) => one.at - other.at);
    if (!next) break;
    now = next.at;
    clearTimeout(next);
    next.callback();
  }
  now = end;
}

const infinite = require("infinite-timeout");
const {setLongTimeout, clearLongTimeout} = require("long-settimeout");
const day = 86400000;

function run(title, set, clear, cleared) {
  let ran = "never";
  const begin = now;
  const id = set(() => { ran = `on day ${(now - begin) / day}`; }, 60 * day);
  advance(cleared * day);
  clear(id);
  advance(100 * day);
  console.log(`${title}, cleared on day ${cleared} of 60: runs ${ran}`);
}

run("infinite-timeout", infinite.set, infinite.clear, 30);
run("control, infinite-timeout", infinite.set, infinite.clear, 20);
run("control, long-settimeout", setLongTimeout, clearLongTimeout, 30);
PROGRAM

as_stated 'infinite-timeout, cleared on day 30 of 60: runs on day 60
control, infinite-timeout, cleared on day 20 of 60: runs never
control, long-settimeout, cleared on day 30 of 60: runs never' "$(node "$tmp/cleared.js")"
