#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: setinterval-plus 1.0.3 (npm).
# Expected: after pause() and resume() the rest of the interval passes before the next run.
# Really: what has passed is waited for, not what is left: an interval of a minute that is paused after 0.1 s runs 0.1 s
#   after resume(), one that is paused at 1.8 s of two waits for 1.8 s once more.
# Seen: the lines at the end of this script. Control: no pause.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages setinterval-plus@1.0.3

cat >"$tmp/resumed.js" <<'PROGRAM'
const SetInterval = require("setinterval-plus");
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

// Pauses and resumes once, if at all, and counts the runs.
async function run(title, interval, before, after) {
  let runs = 0;
  const renewal = new SetInterval(() => { runs++; }, interval);
  if (before) {
    await pause(before);
    renewal.pause();
    renewal.resume();
  }
  await pause(after);
  renewal.stop();
  console.log(`${title}: runs ${runs} times`);
}

(async () => {
  await run("of 60 s, paused after 0.1 s, in the next 3 s", 60000, 100, 3000);
  await run("of 2 s, paused after 1.8 s, in the next second", 2000, 1800, 1000);
  await run("control, of 2 s, in 3 s", 2000, 0, 3000);
  await run("control, of 60 s, in 3 s", 60000, 0, 3000);
})();
PROGRAM

as_stated 'of 60 s, paused after 0.1 s, in the next 3 s: runs 1 times
of 2 s, paused after 1.8 s, in the next second: runs 0 times
control, of 2 s, in 3 s: runs 1 times
control, of 60 s, in 3 s: runs 0 times' "$(node "$tmp/resumed.js")"
