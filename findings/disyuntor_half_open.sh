#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: disyuntor 3.5.0 (npm).
# Expected: the README says that an open breaker allows one call to go to the protected function when the cooldown is
#   over, and that it stays open if that call fails. This state is called half open.
# Really: what keeps the others out while the one is under way is that its start makes the cooldown longer. It does not
#   grow beyond maxCooldown, 30 s by default (60 s, says the README). From the second time on, and whenever nobody has
#   called for longer than that, all calls go through: of 5 that come together all 5 reach a service that is down.
# Seen: the lines at the end of this script, with the default settings; the clock is the program's own. Control: the
#   first time that the breaker is half open.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages disyuntor@3.5.0

cat >"$tmp/half.js" <<'PROGRAM'
const {Disyuntor} = require("disyuntor");
let now = 1e12;
Date.now = () => now;

async function run(title, rests) {
  const breaker = new Disyuntor({name: "service", timeout: false});
  let reached = 0;
  const call = () => breaker.protect(async () => {
    ++reached;
    await new Promise(setImmediate);
    throw new Error("down");
  }).catch(() => {});
  for (let number = 0; number < 5; ++number) {
    await call();
  }
  const seen = [];
  for (const rest of rests) {
    now += rest * 1000;
    const state = breaker.state;
    reached = 0;
    await Promise.all([call(), call(), call(), call(), call()]);
    seen.push(`after ${rest} s it is ${state}, ${reached} of 5 calls reach the service`);
  }
  console.log(`${title}: ${seen.join("; ")}`);
}

(async () => {
  await run("a call each 31 s", [31, 31]);
  await run("control, first time", [16]);
  await run("second time", [16, 31, 31]);
})();
PROGRAM

as_stated 'a call each 31 s: after 31 s it is half open, 5 of 5 calls reach the service; after 31 s it is half open, 5 of 5 calls reach the service
control, first time: after 16 s it is half open, 1 of 5 calls reach the service
second time: after 16 s it is half open, 1 of 5 calls reach the service; after 31 s it is half open, 5 of 5 calls reach the service; after 31 s it is half open, 5 of 5 calls reach the service' \
    "$(NODE_PATH="$tmp/node_modules" node "$tmp/half.js")"
