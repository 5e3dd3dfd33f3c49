#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: miniq 1.0.1 (npm).
# Expected: the README says that different sets of tasks may share one limited queue, each with a callback of its own,
#   which is called with the error if one of its tasks fails.
# Really: the end of a task that fails gives its place back and wakes nobody. The tasks of all other sets sleep beside the
#   free place until one that was under way ends; if none was, or with a limit of 1, until somebody adds more.
# Seen: the lines at the end of this script. Control: the task does not fail.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages miniq@1.0.1

cat >"$tmp/failed.js" <<'PROGRAM'
const parallel = require("miniq");

async function later() {
  for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve));
}

// The tasks of the first set end with `result`; those of the second one wait behind them.
async function run(title, limit, result) {
  const queue = parallel(limit, []);
  queue.on("error", () => {});
  await later();
  let done = 0, told = "nothing";
  queue.exec(Array.from({length: limit}, () => (end) => setImmediate(() => end(result))), () => {});
  queue.exec(Array.from({length: 5}, () => (end) => {
    done++;
    setImmediate(end);
  }), () => (told = "that it is done"));
  await later();
  console.log(`${title}: of the other set ${done} of 5 are done, its caller is told ${told}`);
  queue.exec([(end) => setImmediate(end)], () => {});
  await later();
  console.log(`  when somebody has added one more: ${done} of 5`);
}

(async () => {
  await run("a limit of 1, the task before them fails", 1, new Error("failed"));
  await run("a limit of 3, the three before them fail", 3, new Error("failed"));
  await run("control, a limit of 1, it does not fail", 1);
})();
PROGRAM

as_stated 'a limit of 1, the task before them fails: of the other set 0 of 5 are done, its caller is told nothing
  when somebody has added one more: 5 of 5
a limit of 3, the three before them fail: of the other set 0 of 5 are done, its caller is told nothing
  when somebody has added one more: 5 of 5
control, a limit of 1, it does not fail: of the other set 5 of 5 are done, its caller is told that it is done
  when somebody has added one more: 5 of 5' "$(node "$tmp/failed.js")"
