#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: generic-throttle 3.1.0 (npm).
# Expected: a throttle that is made with "errorOnLimit" refuses a call that is one too many: acquire() rejects with
#   "Throttle Maximum Reached", and its function does not run.
# Really: the call is put into the queue before the limit is looked at, and the refusal leaves it there. When a running
#   function ends the refused one runs, although its caller was told no. A caller that asks again until the answer is
#   yes has its function run once for each refusal.
# Seen: the lines at the end of this script. Control: a throttle without "errorOnLimit", in which the call waits and
#   runs.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages generic-throttle@3.1.0

cat >"$tmp/refused.js" <<'PROGRAM'
const {Throttle} = require("generic-throttle");
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

// A holds the only place. B asks three times meanwhile.
async function run(title, errorOnLimit) {
  const throttle = new Throttle(1, -1, errorOnLimit);
  let runs = 0, refusals = 0, answers = 0;
  const first = throttle.acquire(() => pause(400));
  const call = () => throttle.acquire(async () => { ++runs; }).then(() => { ++answers; }, () => { ++refusals; });
  for (let attempt = 0; attempt < 3; ++attempt) {
    call();
    await pause(20);
  }
  const before = runs;
  await first;
  await pause(100);
  console.log(`${title}: of 3 calls ${refusals} refused and ${answers} answered,`
    + ` ${before} run while A runs and ${runs - before} after A`);
}

(async () => {
  await run("errorOnLimit", true);
  await run("control, without it", false);
})();
PROGRAM

as_stated 'errorOnLimit: of 3 calls 3 refused and 0 answered, 0 run while A runs and 3 after A
control, without it: of 3 calls 0 refused and 3 answered, 0 run while A runs and 3 after A' "$(node "$tmp/refused.js")"
