#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: sema4 0.1.3 (npm; RateLimit).
# Expected: the README says that reset() releases all acquired semaphores at once and resets the time-outs that belong to
#   them. After it a limit of 2 is free, that is, it lets 2 through.
# Really: the time-outs that have fired are kept and released once more. Each call that there ever was adds a place: a
#   limit of 2 that was used six times lets 8 through at once, and more with each reset(), for as long as the program
#   lives.
# Seen: the lines at the end of this script. Control: nothing was used before.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages sema4@0.1.3

cat >"$tmp/reset.js" <<'PROGRAM'
const {mock} = require("node:test");
mock.timers.enable({apis: ["setTimeout"]});
const {RateLimit} = require("sema4");
const later = () => new Promise((resolve) => setImmediate(resolve));

// The limit is used some times, one call after the other, and rests; then come a hundred at once.
async function run(title, used, resets) {
  const limit = new RateLimit(2, {interval: 1000});
  for (let call = 0; call < used; call++) {
    await limit.apply();
    mock.timers.tick(1000);
  }
  for (let reset = 0; reset < resets; reset++) limit.reset();
  let through = 0;
  for (let caller = 0; caller < 100; caller++) limit.apply().then(() => through++);
  await later();
  console.log(`${title}: ${through} of 100 come through at once`);
}

(async () => {
  await run("used six times, reset() after a rest", 6, 1);
  await run("control, used six times, no reset()", 6, 0);
  await run("control, not used, reset()", 0, 1);
})();
PROGRAM

as_stated 'used six times, reset() after a rest: 8 of 100 come through at once
control, used six times, no reset(): 2 of 100 come through at once
control, not used, reset(): 2 of 100 come through at once' "$(node --no-warnings "$tmp/reset.js")"
