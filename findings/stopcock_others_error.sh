#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: stopcock 1.1.0 (npm).
# Expected: each call of the limited function returns a promise, which is settled by that call: an error of the function
#   goes to the caller whose call failed.
# Really: calls that wait are run by whoever comes next, within its own promise. If the call of A throws while the call of
#   B wakes the queue, B is told the error of A, although its own call succeeds later, and A is told nothing, ever.
# Seen: the lines at the end of this script, by a clock that the script turns. Control: the function rejects.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages stopcock@1.1.0

cat >"$tmp/others.js" <<'PROGRAM'
const stopcock = require("stopcock");
let now = 1e12;
Date.now = () => now;
const later = () => new Promise((resolve) => setImmediate(resolve));

function load(name) {
  if (name == "A") throw new Error("the error of A");
  return `the result of ${name}`;
}

// One call in a second. A waits, and B comes when the next one may go; the timer of the queue has not fired yet.
async function run(title, work) {
  const limited = stopcock(work, {limit: 1, interval: 1000, bucketSize: 1});
  await limited("the first one");
  const told = {A: "nothing", B: "nothing"};
  const ask = (name) => limited(name).then((value) => (told[name] = value), (error) => (told[name] = error.message));
  ask("A");
  now += 5000;
  ask("B");
  await later();
  now += 5000;
  limited("the last one");
  await later();
  console.log(`${title}: A is told ${told.A}; B is told ${told.B}`);
}

(async () => {
  await run("the function throws", load);
  await run("control, it rejects", async (name) => load(name));
  process.exit();
})();
PROGRAM

as_stated 'the function throws: A is told nothing; B is told the error of A
control, it rejects: A is told the error of A; B is told the result of B' "$(node "$tmp/others.js")"
