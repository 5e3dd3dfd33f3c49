#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: tress 1.1.4 (npm).
# Expected: the README says that remove(job) removes the job from the queue, and so does its own test with "bar".
# Really: it keeps the job that it is told to remove, and removes all others: their callbacks are never called, "drain"
#   comes, and nobody hears of what was not done. Of a job that is not in the queue it removes everything that is.
# Seen: the lines at the end of this script. Control: nothing is removed.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages tress@1.1.4

cat >"$tmp/removed.js" <<'PROGRAM'
const tress = require("tress");

// One job is being done while four wait and one of them is removed.
function run(title, remove) {
  return new Promise((resolve) => {
    const done = [];
    let called = 0, end;
    const queue = tress((job, finish) => {
      if (job == "first") return begun(finish);
      done.push(job);
      finish();
    }, 1);
    for (const job of ["first", "A", "B", "C", "D"]) queue.push(job, () => called++);
    queue.drain = () => {
      console.log(`${title}: done ${done.join(", ") || "nothing"} of A, B, C, D; ${called - 1} callbacks, drained`);
      resolve();
    };
    function begun(finish) {
      setImmediate(() => {
        if (remove) queue.remove(remove);
        finish();
      });
    }
  });
}

(async () => {
  await run("B is removed", "B");
  await run("E, which is not there, is removed", "E");
  await run("control, nothing is removed", null);
})();
PROGRAM

as_stated 'B is removed: done B of A, B, C, D; 1 callbacks, drained
E, which is not there, is removed: done nothing of A, B, C, D; 0 callbacks, drained
control, nothing is removed: done A, B, C, D of A, B, C, D; 4 callbacks, drained' "$(node "$tmp/removed.js")"
