#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: memory-cache-ttl 1.0.52 (npm).
# Expected: extendOnHit begins the time of an entry anew when get() finds it. check() says no of a key that was deleted, and
#   of one that was never set.
# Really: get() notes the key, found or not, and the next interval sets each noted key to what it has then, which may be
#   nothing. Of a key that was read and deleted within an interval, and of one that was only asked for, `check()` says
#   that it is there, with no value, for the whole time of the cache: it is counted, and get() gives undefined.
# Seen: the lines at the end of this script. Control: without extendOnHit.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages memory-cache-ttl@1.0.52

cat >"$tmp/program.js" <<'PROGRAM'
const cache = require("memory-cache-ttl");
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

// One key is read and deleted, another one is asked for and was never set.
async function run(title, extendOnHit) {
  cache.flush();
  cache.init({ttl: 600, interval: 1, extendOnHit});
  cache.set("lease", "mine");
  cache.get("lease");
  cache.del("lease");
  cache.get("never");
  const before = [cache.check("lease"), cache.check("never")];
  await pause(3500);
  console.log(`${title}: check() of a key that was read and deleted: ${before[0]}, later ${cache.check("lease")}`);
  console.log(`${title}: check() of a key that was only asked for: ${before[1]}, later ${cache.check("never")}`);
  console.log(`${title}: entries ${cache.stats().cacheEntries}, get() gives ${cache.get("lease")}`);
}

(async () => {
  await run("extendOnHit", true);
  await run("control", false);
  process.exit(0);
})();
PROGRAM

as_stated 'extendOnHit: check() of a key that was read and deleted: false, later true
extendOnHit: check() of a key that was only asked for: false, later true
extendOnHit: entries 2, get() gives undefined
control: check() of a key that was read and deleted: false, later false
control: check() of a key that was only asked for: false, later false
control: entries 0, get() gives undefined' "$(node "$tmp/program.js")"
