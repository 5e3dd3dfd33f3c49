#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: async-lock 1.5.0 (npm).
# Expected: the README says that maxExecutionTime bounds the time between getting the lock and being done,
#   and that its owner gets an error then. A, which takes longer, may overlap the next one; the others,
#   which have no such limit, still exclude each other.
# Really: A's time is up and B gets the lock. When A's function ends at last, that end is a second release:
#   it gives B's lock away, to C or, when nobody waits, to the next one who comes. B and C overlap,
#   though neither was late.
# Seen: the lines at the end of this script. Control: the same calls without the limit for A.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages async-lock@1.5.0

cat >"$tmp/late.js" <<'PROGRAM'
const AsyncLock = require("async-lock");
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

async function run(title, options, waitForC) {
  console.log(title);
  const lock = new AsyncLock();
  const inside = new Set();
  const job = (name, time) => async () => {
    console.log(`${name} starts` + (inside.size ? ` beside ${[...inside]}` : ""));
    inside.add(name);
    await pause(time);
    inside.delete(name);
  };
  const calls = [
    lock.acquire("door", job("A", 1000), options).catch((error) => console.log(`A: ${error.message}`)),
    lock.acquire("door", job("B", 1500)),
  ];
  await pause(waitForC);
  calls.push(lock.acquire("door", job("C", 100)));
  await Promise.all(calls);
}

(async () => {
  await run("C waits from the start", {maxExecutionTime: 500}, 0);
  await run("C comes while only B may hold", {maxExecutionTime: 500}, 1500);
  await run("control", {}, 0);
})();
PROGRAM

as_stated 'C waits from the start
A starts
B starts beside A
A: Maximum execution time is exceeded door
C starts beside B
C comes while only B may hold
A starts
B starts beside A
A: Maximum execution time is exceeded door
C starts beside B
control
A starts
B starts
C starts' "$(node "$tmp/late.js")"
