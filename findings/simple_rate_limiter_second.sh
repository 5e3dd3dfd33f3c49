#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: simple-rate-limiter 0.5.0 (npm).
# Expected: the README says that limit(fn).to(10).per(1000) executes fn 10 times within 1000 ms. The second call after
#   one call is one of these ten and is executed at once.
# Really: when a call leaves the queue empty the limiter sets a timer for the end of that call's period, and nothing
#   else looks at the queue until then. The second call waits for it beside nine free places, and so does everybody who
#   comes meanwhile. Ten calls of one turn are executed at once, as the example of the README has it.
# Seen: the lines at the end of this script. Control: the ten calls are made in one turn.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages simple-rate-limiter@0.5.0

cat >"$tmp/second.js" <<'PROGRAM'
const limit = require("simple-rate-limiter");
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

// Each call comes 100 ms after the one before, or all come at once. A period is 3 s.
async function run(title, calls, apart) {
  let began, executed = [];
  const limited = limit(() => executed.push(Date.now() - began)).to(10).per(3000);
  began = Date.now();
  for (let call = 0; call < calls; ++call) {
    limited();
    if (apart) {
      await pause(100);
    }
  }
  await pause(5000);
  const early = executed.filter((time) => time < 1500).length;
  return `${title}: ${early} in the first half of the period, all ${executed.length} in the end`;
}

(async () => {
  const lines = await Promise.all([
    run("5 calls one after the other", 5, true),
    run("control, 10 calls at once", 10, false),
  ]);
  console.log(lines.join("\n"));
})();
PROGRAM

as_stated '5 calls one after the other: 1 in the first half of the period, all 5 in the end
control, 10 calls at once: 10 in the first half of the period, all 10 in the end' "$(node "$tmp/second.js")"
