#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: @jpwilliams/waitgroup 2.1.1 (npm).
# Expected: wait() ends when all that was added is done. One done() too many is an error, and changes nothing else.
# Really: the error comes after the count: it stays below zero, and hides the next task. Who waits for that one is told at
#   once that all is done, and its own done() is an error again: so it goes on for as long as the group lives.
# Seen: the lines at the end of this script. Control: no done() too many.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages @jpwilliams/waitgroup@2.1.1

cat >"$tmp/refused.js" <<'PROGRAM'
const {WaitGroup} = require("@jpwilliams/waitgroup");
const settle = () => new Promise((resolve) => setTimeout(resolve, 5));

async function run(title, tooMany) {
  const group = new WaitGroup();
  const seen = [];
  const done = () => { try { group.done(); return "done"; } catch (error) { return "an error"; } };
  group.add();
  done();
  if (tooMany) {
    seen.push(`a second done() is ${done()}`);
  }
  for (const round of [1, 2]) {
    group.add();
    let told = "waits";
    group.wait().then(() => { told = "is told that all is done"; });
    await settle();
    seen.push(`round ${round}: while a task runs the waiter ${told}, its end is ${done()}`);
  }
  console.log(`${title}: ${seen.join("; ")}`);
}

(async () => {
  await run("one too many", true);
  await run("control", false);
})();
PROGRAM

as_stated 'one too many: a second done() is an error; round 1: while a task runs the waiter is told that all is done, its end is an error; round 2: while a task runs the waiter is told that all is done, its end is an error
control: round 1: while a task runs the waiter waits, its end is done; round 2: while a task runs the waiter waits, its end is done' "$(node "$tmp/refused.js")"
