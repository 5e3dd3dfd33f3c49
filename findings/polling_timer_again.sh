#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: polling-timer 0.1.2 (npm).
# Expected: a timer that was stopped and is started again looks for its whole time-out once more.
# Really: stop() forgets when it began, and start() notes that the first time only: the second start is timed out at its
#   first look, without having looked.
# Seen: the lines at the end of this script. Control: a new timer for the second time.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages polling-timer@0.1.2

cat >"$tmp/again.js" <<'PROGRAM'
const PollingTimer = require("polling-timer");

// Looks each 20 ms, for up to a second, until it has looked three times.
function look(timer) {
  return new Promise((resolve) => {
    let looks = 0, end = "found";
    timer.setRunCallback(() => ++looks === 3);
    timer.setTimeoutCallback(() => { end = "timed out"; });
    timer.setEndCallback(() => resolve(`${end} after ${looks} looks`));
    timer.start();
  });
}

(async () => {
  const timer = new PollingTimer(20, 1000);
  console.log(`the first time: ${await look(timer)}`);
  console.log(`the second time: ${await look(timer)}`);
  console.log(`control, a new timer: ${await look(new PollingTimer(20, 1000))}`);
})();
PROGRAM

as_stated 'the first time: found after 3 looks
the second time: timed out after 0 looks
control, a new timer: found after 3 looks' "$(node "$tmp/again.js")"
