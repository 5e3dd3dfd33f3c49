#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: p-async-cache 1.0.3 (npm).
# Expected: after del() the value is not in the cache, and get() loads it anew. With `stale` an old value may be served
#   while it is loaded; a value that was deleted is no old one.
# Really: a value that is being refreshed is kept in a second place, and del() does not know of that. get() serves it until
#   the store has answered, as often as it is asked. reset() does the same.
# Seen: the lines at the end of this script. Control: nobody has asked since the value became old.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages p-async-cache@1.0.3

cat >"$tmp/program.js" <<'PROGRAM'
const Cache = require("p-async-cache");
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

// The store is slow when it is asked for the second time.
async function run(title, look, purge) {
  let loads = 0;
  let finish;
  const cache = new Cache({stale: true, maxAge: 1000, load: async () => {
    const number = ++loads;
    if (number === 2) await new Promise((resolve) => { finish = resolve; });
    return `value ${number}`;
  }});
  await cache.get("key");
  await pause(2000);
  if (look) await cache.get("key");
  purge(cache);
  const answer = await Promise.race([cache.get("key"), pause(1000)]);
  const gives = answer ? `${answer.value}, stale ${answer.stale}` : "a wait for the store";
  console.log(`${title}: afterwards get() gives ${gives}`);
  finish();
}

(async () => {
  await run("del() while it is refreshed", true, (cache) => cache.del("key"));
  await run("reset() while it is refreshed", true, (cache) => cache.reset());
  await run("control, del() when it is too old", false, (cache) => cache.del("key"));
})();
PROGRAM

as_stated 'del() while it is refreshed: afterwards get() gives value 1, stale true
reset() while it is refreshed: afterwards get() gives value 1, stale true
control, del() when it is too old: afterwards get() gives a wait for the store' "$(node "$tmp/program.js")"
