#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: advanced-pool 0.3.3 (npm; TimedQueue).
# Expected: the README says that the default time-out of the queue is used for a caller that names none.
# Really: a caller's own time-out is counted from its arrival, the default one from the year 1970: it is over when the
#   queue looks for the first time. With a default of ten minutes a caller is told TimeoutError after the check interval,
#   which is one second, as if nobody might wait.
# Seen: the lines at the end of this script, by a clock that the script turns. Control: the caller names ten minutes.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages advanced-pool@0.3.3

cat >"$tmp/default.js" <<'PROGRAM'
const {mock} = require("node:test");
mock.timers.enable({apis: ["Date", "setTimeout", "setInterval"], now: 1e12});
const {Pool, TimedQueue} = require("advanced-pool");
const later = () => new Promise((resolve) => setImmediate(resolve));

// One caller holds the only resource, another one waits. Told within fifteen minutes?
async function run(title, options, own) {
  const pool = new Pool({min: 0, max: 1, create: (done) => done(null, {}), queue: new TimedQueue(options)});
  pool.acquire(() => {});
  await later();
  let told = null;
  const begin = Date.now();
  pool.acquire((error) => (told = `${error.name} after ${(Date.now() - begin) / 1000} s`), own);
  for (let second = 0; second < 900 && !told; second++) {
    mock.timers.tick(1000);
    await later();
  }
  console.log(`${title}: ${told || "waits for 15 minutes"}`);
}

(async () => {
  await run("a default of ten minutes", {defaultTimeout: 600000});
  await run("control, the caller's own ten minutes", {defaultTimeout: 600000}, 600000);
  await run("control, no time-out", {});
  process.exit();
})();
PROGRAM

as_stated "a default of ten minutes: TimeoutError after 1 s
control, the caller's own ten minutes: TimeoutError after 601 s
control, no time-out: waits for 15 minutes" "$(node --no-warnings "$tmp/default.js")"
