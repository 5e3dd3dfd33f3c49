#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: timer-wheel 1.0.0 (npm; ReschedulingTimerWheel).
# Expected: this wheel keeps one expiry for each item: a later schedule() of the item replaces the earlier one, and
#   unschedule() removes it. The handle of a replaced expiry has nothing left to remove.
# Really: remove() of the old handle makes the wheel forget the item, whose present expiry stays. From then on
#   unschedule() says that there is none, the item expires all the same, and the next schedule() adds a second expiry.
# Seen: the lines at the end of this script. Controls: the same without the removal of the old handle.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages timer-wheel@1.0.0

cat >"$tmp/program.js" <<'PROGRAM'
const {ReschedulingTimerWheel} = require("timer-wheel");

// Lets a minute pass; the time since the wheel was made is told to advance(), as its description allows.
function expired(wheel) {
  const seconds = [];
  for (let second = 1; second <= 60; ++second)
    wheel.advance(second * 1000).forEach(() => seconds.push(second));
  return seconds.length;
}

function run(title, act) {
  const wheel = new ReschedulingTimerWheel();
  const told = act(wheel);
  console.log(`${title}: ${told}expires ${expired(wheel)} times`);
}

const removed = (wheel) => wheel.unschedule("lease") ? "unscheduled, " : "nothing to unschedule, ";

run("prolonged, the old handle removed, prolonged again", (wheel) => {
  const old = wheel.schedule("lease", 5000);
  wheel.schedule("lease", 20000);
  old.remove();
  wheel.schedule("lease", 40000);
  return "";
});
run("prolonged, the old handle removed, unscheduled", (wheel) => {
  const old = wheel.schedule("lease", 5000);
  wheel.schedule("lease", 20000);
  old.remove();
  return removed(wheel);
});
run("control, prolonged twice", (wheel) => {
  wheel.schedule("lease", 5000);
  wheel.schedule("lease", 20000);
  wheel.schedule("lease", 40000);
  return "";
});
run("control, prolonged, unscheduled", (wheel) => {
  wheel.schedule("lease", 5000);
  wheel.schedule("lease", 20000);
  return removed(wheel);
});
PROGRAM

as_stated 'prolonged, the old handle removed, prolonged again: expires 2 times
prolonged, the old handle removed, unscheduled: nothing to unschedule, expires 1 times
control, prolonged twice: expires 1 times
control, prolonged, unscheduled: unscheduled, expires 0 times' "$(node "$tmp/program.js")"
