#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: @mapbox/locking 3.3.0 (npm; with lru-cache 5.1.1).
# Expected: the README says that the package wraps a function to use a cache and to lock across concurrent calls, and
#   that the options are passed to the cache, its greatest age for instance.
# Really: a function is wrapped once in a program. Who wraps it again, elsewhere and with other options, gets the first
#   wrapper: a cache that is to keep an answer for 0.05 s keeps it for a minute, and one that is emptied is emptied for
#   both.
# Seen: the lines at the end of this script. Control: the second one wraps a function of its own that calls the same.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages @mapbox/locking@3.3.0 lru-cache@5.1.1

cat >"$tmp/twice.js" <<'PROGRAM'
const locking = require("@mapbox/locking");
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

async function run(title, wrap) {
  let reads = 0;
  const load = (id, done) => setImmediate(() => done(null, `read ${++reads}`));
  const ask = (cached) => new Promise((resolve) => cached("rate", (error, value) => resolve(value)));
  const long = locking(load, {max: 10, maxAge: 60000});
  const short = locking(wrap(load), {max: 10, maxAge: 50});
  await ask(long);
  const first = await ask(short);
  await pause(500);
  const second = await ask(short);
  short.cache.reset();
  console.log(`${title}, kept for 0.05 s: ${first}, 0.5 s later: ${second}; ` +
              `the other cache, when this one was emptied: ${await ask(long)}`);
}

(async () => {
  await run("one function", (load) => load);
  await run("control, two functions", (load) => (id, done) => load(id, done));
})();
PROGRAM

as_stated 'one function, kept for 0.05 s: read 1, 0.5 s later: read 1; the other cache, when this one was emptied: read 2
control, two functions, kept for 0.05 s: read 2, 0.5 s later: read 3; the other cache, when this one was emptied: read 1' \
    "$(NODE_PATH="$tmp/node_modules" node "$tmp/twice.js")"
