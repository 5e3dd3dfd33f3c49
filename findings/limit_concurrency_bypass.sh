#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: limit-concurrency-decorator 0.6.0 (npm).
# Expected: a call with BYPASS_QUEUE runs at once, beside the limit, and the other calls keep to the limit.
# Really: when it ends it gives a place on, as if it had taken one: a call of the queue begins in its place, and a limit
#   of 1 is a limit of 2 for as long as anybody waits. Each further call of that kind adds one.
# Seen: the lines at the end of this script. Controls: no such call; it ends while nobody waits.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages limit-concurrency-decorator@0.6.0

cat >"$tmp/bypass.js" <<'PROGRAM'
const {BYPASS_QUEUE, limitConcurrency} = require("limit-concurrency-decorator");
const settled = () => new Promise(setImmediate);

// A runs, those of `waiting` wait, those of `passing` bypass the queue, and end first. Then one after the other ends.
async function run(title, waiting, passing) {
  const running = new Map();
  const call = limitConcurrency(1)((name) => new Promise((resolve) => {
    running.set(name, () => { running.delete(name); resolve(); });
  }));
  const inside = () => [...running.keys()].join(" ") || "nobody";
  call("A");
  waiting.forEach((name) => call(name));
  passing.forEach((name) => call(BYPASS_QUEUE, name));
  await settled();
  const told = [inside()];
  for (const name of passing) {
    running.get(name)();
    await settled();
  }
  told.push(inside());
  while (running.size) {
    running.values().next().value();
    await settled();
    told.push(inside());
  }
  console.log(`${title}: ${told.join(", then ")}`);
}

(async () => {
  await run("limit 1, one bypasses", ["B", "C", "D", "E"], ["x"]);
  await run("limit 1, two bypass", ["B", "C", "D", "E"], ["x", "y"]);
  await run("control, none", ["B", "C", "D"], []);
  await run("control, nobody waits", [], ["x"]);
})();
PROGRAM

as_stated 'limit 1, one bypasses: A x, then A B, then B C, then C D, then D E, then E, then nobody
limit 1, two bypass: A x y, then A B C, then B C D, then C D E, then D E, then E, then nobody
control, none: A, then A, then B, then C, then D, then nobody
control, nobody waits: A x, then A, then nobody' \
    "$(NODE_PATH="$tmp/node_modules" node "$tmp/bypass.js")"
