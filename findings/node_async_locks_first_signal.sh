#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: node-async-locks 2.1.2 (npm; ResetEvent).
# Expected: the README says that autoResetCount is the number of callbacks that are called before the event becomes
#   non-signaled, and that the first argument of the constructor is its state. An event that begins signaled lets as
#   many through as one that was set, as with the AutoResetEvent that it refers to.
# Really: the count begins with set() only. An event of 1 that is made in the signaled state lets everybody through, as
#   often as they ask, until somebody calls reset() and set().
# Seen: the lines at the end of this script. Control: the event is made non-signaled, and set.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages node-async-locks@2.1.2

cat >"$tmp/first.js" <<'PROGRAM'
const {ResetEvent} = require("node-async-locks");

function count(event) {
  let through = 0;
  for (let caller = 0; caller < 100; caller++) event.wait(() => through++);
  return through;
}

const made = new ResetEvent(true, {autoResetCount: 1});
console.log(`made signaled: ${count(made)} of 100 come through`);
console.log(`once more: ${count(made)} of 100`);
made.reset();
made.set();
console.log(`after reset() and set(): ${count(made)} of 100`);
const set = new ResetEvent(false, {autoResetCount: 1});
set.set();
console.log(`control, made non-signaled and set: ${count(set)} of 100 come through`);
PROGRAM

as_stated 'made signaled: 100 of 100 come through
once more: 100 of 100
after reset() and set(): 1 of 100
control, made non-signaled and set: 1 of 100 come through' "$(node "$tmp/first.js")"
