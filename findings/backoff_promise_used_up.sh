#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: backoff-promise 1.0.0 (npm).
# Expected: run() tries up to maxRetries times. A success begins anew, and so does the next run() of the same object, whose
#   caller has tried nothing yet.
# Really: a run that fails for good leaves the count as it is. Each later run() of the object tries once, after the longest
#   wait that was reached, and gives up: a service that answers the second time is never reached again.
# Seen: the lines at the end of this script. Control: an object for each run.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages backoff-promise@1.0.0

cat >"$tmp/program.js" <<'PROGRAM'
const Backoff = require("backoff-promise");

// The service is down for three runs, and then fails once more before it answers.
async function run(title, fresh) {
  let backoff = new Backoff(10, 20, 1.1, 5);
  const tries = [];
  for (let round = 0; round < 3; ++round) {
    let calls = 0;
    if (fresh) backoff = new Backoff(10, 20, 1.1, 5);
    await backoff.run(() => { ++calls; return Promise.reject(new Error("down")); }).catch(() => {});
    tries.push(calls);
  }
  let calls = 0;
  if (fresh) backoff = new Backoff(10, 20, 1.1, 5);
  const service = () => ++calls < 2 ? Promise.reject(new Error("down")) : Promise.resolve("answered");
  const end = await backoff.run(service).catch((error) => error.message);
  console.log(`${title}: calls ${tries.join(", ")}; a service that answers the second time: ${end}`);
}
(async () => {
  await run("one object for all runs", false);
  await run("control, an object for each", true);
})();
PROGRAM

as_stated 'one object for all runs: calls 5, 1, 1; a service that answers the second time: down
control, an object for each: calls 5, 5, 5; a service that answers the second time: answered' "$(node "$tmp/program.js")"
