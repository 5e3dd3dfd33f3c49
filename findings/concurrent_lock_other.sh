#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: concurrent-lock 1.0.7 (npm).
# Expected: the README makes a lock object with a limit. Two objects are two locks: who waits for one of them gets it
#   when that one is unlocked.
# Really: all locks of a program have one list of waiters. An unlock of A wakes the first waiter of all, who may wait for
#   B: that one gets in beside the holder of B, and who waits for A sleeps beside a free lock.
# Seen: the lines at the end of this script. Control: nobody waits for B.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages concurrent-lock@1.0.7

cat >"$tmp/other.js" <<'PROGRAM'
const Lock = require("concurrent-lock").default;
const later = () => new Promise((resolve) => setImmediate(resolve));

(async () => {
  const inside = {A: 0, B: 0};
  const locks = {A: new Lock(1), B: new Lock(1)};
  const enter = (name) => locks[name].lock().then(() => inside[name]++);
  await enter("A");
  await enter("B");
  const waiting = process.argv.slice(2);
  waiting.forEach(enter);
  await later();
  inside.A--;
  locks.A.unlock();
  await later();
  console.log(`waiting for ${waiting.join(", then for ")}; the holder of A has left: ${inside.A} in A, ${inside.B} in B`);
})();
PROGRAM

as_stated 'waiting for B, then for A; the holder of A has left: 0 in A, 2 in B
waiting for A; the holder of A has left: 1 in A, 1 in B' "$(node "$tmp/other.js" B A; node "$tmp/other.js" A)"
