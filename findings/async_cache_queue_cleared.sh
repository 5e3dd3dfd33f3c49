#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: async-cache-queue 0.2.8 (npm).
# Expected: clearCache() purges all caches, as the README does on a signal. What was asked before is not served
#   afterwards: callers get what was asked after the purge.
# Really: a run that began before the purge stores its result when it ends, in the cache that is there by then. It comes
#   in behind the run that began after the purge and replaces its newer result: callers that were served the new value
#   are served the old one from then on, for the whole time of the cache.
# Seen: the lines at the end of this script. Controls: the run before the purge has ended; nobody purges.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages async-cache-queue@0.2.8

cat >"$tmp/cleared.js" <<'PROGRAM'
const {queueFactory, clearCache} = require("async-cache-queue");
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

// The value changes from 1 to 2 while a run that has read 1 is under way. Then the cache is purged, or is not.
async function run(title, length, purge) {
  let value = 1, runs = 0;
  const cached = queueFactory({cache: 3600000})(async () => {
    const read = value;
    ++runs;
    await pause(read === 1 ? length : 10);
    return read;
  });
  const first = cached("key");
  await pause(100);
  value = 2;
  if (purge) {
    clearCache();
  }
  const after = purge ? await cached("key") : "-";
  await first;
  await pause(300);
  console.log(`${title}: after the purge ${after}, later ${await cached("key")}, ${runs} runs`);
}

(async () => {
  await run("a run is under way", 300, true);
  await run("control, the run has ended", 10, true);
  await run("control, no purge", 300, false);
})();
PROGRAM

as_stated 'a run is under way: after the purge 2, later 1, 2 runs
control, the run has ended: after the purge 2, later 2, 2 runs
control, no purge: after the purge -, later 1, 1 runs' "$(node "$tmp/cleared.js")"
