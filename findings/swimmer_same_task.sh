#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: swimmer 1.4.0 (npm).
# Expected: add() returns a promise that is settled when its task is done, as the README says.
# Really: the pool keeps the two ends of the promise as properties of the function. If one function is added again
#   before it is done, the later promise takes the place of the earlier one: each run settles the last one only, and all
#   other callers wait for ever, although the function has run for each of them. When a run with one of two results has
#   ended, the last caller is told the result of the first run.
# Seen: the lines at the end of this script. Controls: each caller adds a function of its own; the function is added
#   again when it is done.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages swimmer@1.4.0

cat >"$tmp/same.js" <<'PROGRAM'
const {createPool} = require("swimmer");
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

// Three callers add a task that counts its runs, and note what they are told.
async function run(title, same, apart) {
  const pool = createPool({concurrency: 1, tasks: []});
  let runs = 0;
  const count = async () => {
    await pause(50);
    return ++runs;
  };
  const told = ["nothing", "nothing", "nothing"];
  for (let caller = 0; caller < 3; ++caller) {
    pool.add(same ? count : () => count()).then((result) => { told[caller] = result; });
    if (apart) {
      await pause(200);
    }
  }
  await pause(600);
  console.log(`${title}: ${runs} runs, the callers are told ${told.join(", ")}`);
}

(async () => {
  await run("one function", true, false);
  await run("control, a function each", false, false);
  await run("control, one function, one after the other", true, true);
})();
PROGRAM

as_stated 'one function: 3 runs, the callers are told nothing, nothing, 1
control, a function each: 3 runs, the callers are told 1, 2, 3
control, one function, one after the other: 3 runs, the callers are told 1, 2, 3' "$(node "$tmp/same.js")"
