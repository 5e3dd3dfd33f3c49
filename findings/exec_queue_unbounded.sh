#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: exec-queue 0.0.2 (npm).
# Expected: the README says that exec may be used in a loop without too many child processes, and that at most 10 of
#   them run at a time.
# Really: it counts those who wait, not those who run. In a loop without a pause 9 run; a caller that lets one turn pass
#   between two calls, as with any request that comes in, finds the queue empty each time: all run at once.
# Seen: the lines at the end of this script, with an exec that counts what was begun. Control: the loop of the README.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages exec-queue@0.0.2

cat >"$tmp/unbounded.js" <<'PROGRAM'
const later = () => new Promise((resolve) => setImmediate(resolve));

async function run(title, between) {
  let running = 0;
  require("child_process").exec = () => running++;
  delete require.cache[require.resolve("exec-queue")];
  const exec = require("exec-queue");
  for (let command = 0; command < 1000; command++) {
    exec("true", () => {});
    await between(command);
  }
  await later();
  console.log(`${title}: of 1000 commands, none of which has ended, ${running} run`);
}

(async () => {
  await run("a turn between two calls", later);
  await run("a turn after each five", (command) => command % 5 == 4 && later());
})();
PROGRAM
cat >"$tmp/control.js" <<'PROGRAM'
let running = 0;
require("child_process").exec = () => running++;
const exec = require("exec-queue");
for (let command = 0; command < 1000; command++) exec("true", () => {});
setImmediate(() => console.log(`control, a loop: ${running} run`));
PROGRAM

as_stated 'a turn between two calls: of 1000 commands, none of which has ended, 1000 run
a turn after each five: of 1000 commands, none of which has ended, 1000 run
control, a loop: 9 run' "$(node "$tmp/unbounded.js"; node "$tmp/control.js")"
