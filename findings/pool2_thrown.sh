#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: pool2 1.4.1 (npm).
# Expected: the README says that a pool holds up to "max" resources and that a failed allocation is tried again after a
#   while. Whether the function "acquire" calls back with an error or throws it, the pool is as before.
# Really: who throws keeps the place: the allocation counts as under way from then on. With each error that is thrown
#   the pool has one place less, and nobody is told. A pool of 2 whose function threw once has one place, after two it
#   serves nobody: all wait, stats() says that both places are available, and the function is not called again.
# Seen: the lines at the end of this script. Control: the same error by the callback.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages pool2@1.4.1

cat >"$tmp/thrown.js" <<'PROGRAM'
const Pool = require("pool2");
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

// The first allocations fail, and then all succeed.
async function run(title, failures, fail) {
  let calls = 0;
  const acquire = (callback) => (++calls <= failures ? fail(callback) : callback(null, {call: calls}));
  const dispose = (resource, callback) => callback();
  const pool = new Pool({acquire, dispose, max: 2, syncInterval: 100, backoff: {min: 10, max: 50},
                         bailAfter: Infinity});
  pool.on("error", () => {});
  const callers = [1, 2].map(() => {
    const caller = {seen: "waits"};
    pool.acquire((error) => { caller.seen = error ? error.message : "is served"; });
    return caller;
  });
  await pause(3000);
  const {allocated, available, queued} = pool.stats();
  console.log(`${title}: A ${callers[0].seen}, B ${callers[1].seen}; ` +
              `${calls} calls, ${allocated} allocated, ${available} available, ${queued} queued`);
}

(async () => {
  const thrown = () => { throw new Error("not now"); }, told = (callback) => callback(new Error("not now"));
  await run("thrown once", 1, thrown);
  await run("thrown twice", 2, thrown);
  await run("control, told once", 1, told);
  await run("control, told twice", 2, told);
  process.exit();
})();
PROGRAM

as_stated 'thrown once: A is served, B waits; 2 calls, 1 allocated, 1 available, 1 queued
thrown twice: A waits, B waits; 2 calls, 0 allocated, 2 available, 2 queued
control, told once: A is served, B is served; 3 calls, 2 allocated, 0 available, 0 queued
control, told twice: A is served, B is served; 4 calls, 2 allocated, 0 available, 0 queued' "$(node "$tmp/thrown.js")"
