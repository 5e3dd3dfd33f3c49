#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: reinterval 1.1.0 (npm).
# Expected: reschedule() without an argument takes the interval of before: the README calls the argument optional, "to change"
#   the interval.
# Really: what it takes is the handle of the running timer, which counts as a number of milliseconds: the number of the
#   timer in the program. A renewal of each ten seconds runs many times in a second.
# Seen: the lines at the end of this script. Controls: reschedule() is told the interval; it is not called.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages reinterval@1.1.0

cat >"$tmp/reschedule.js" <<'PROGRAM'
const reInterval = require("reinterval");
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

async function run(title, reschedule) {
  let runs = 0;
  const renewal = reInterval(() => { runs++; }, 10000);
  reschedule(renewal);
  await pause(1000);
  renewal.clear();
  console.log(`${title}: in 1 s ${runs > 10 ? "more than ten" : runs} runs`);
}

(async () => {
  await run("reschedule()", (renewal) => renewal.reschedule());
  await run("control, reschedule(10000)", (renewal) => renewal.reschedule(10000));
  await run("control, not rescheduled", () => {});
})();
PROGRAM

as_stated 'reschedule(): in 1 s more than ten runs
control, reschedule(10000): in 1 s 0 runs
control, not rescheduled: in 1 s 0 runs' "$(node "$tmp/reschedule.js")"
