#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: @databases/connection-pool 1.1.0 (npm).
# Expected: with maxSize of 1 one connection is lent at a time. When the hook onActive finds that a connection is dead the
#   caller is told the error, and the pool has a place again.
# Really: the place is given back at once, and once more when the time is over after which an idle connection is
#   closed, because that timer of the dead one goes on. Each dead connection adds a place for good: after three of them
#   four are lent at a time.
# Seen: the lines at the end of this script. Controls: connections are not idle for as long; the hook finds nothing.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages @databases/connection-pool@1.1.0

cat >"$tmp/hook.js" <<'PROGRAM'
const createPool = require("@databases/connection-pool");
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

async function run(title, idle, failures) {
  let opened = 0, dead = false;
  const pool = createPool({
    maxSize: 1,
    idleTimeoutMilliseconds: idle,
    openConnection: async () => ({id: ++opened}),
    closeConnection: async () => {},
    onActive: () => { if (dead) throw new Error("it is dead"); },
  });
  const seen = [];
  for (let failure = 0; failure < failures; failure++) {
    (await pool.getConnection()).release();
    dead = true;
    seen.push(await pool.getConnection().then(() => "lent", (error) => error.message));
    dead = false;
    await pause(200);
  }
  let lent = 0;
  for (let caller = 0; caller < 10; caller++) {
    pool.getConnection().then(() => { lent++; });
  }
  await pause(100);
  console.log(`${title}: ${seen.length} callers are told of a dead one, then ${lent} of 1 are lent at a time`);
}

(async () => {
  await run("idle for 0.1 s, one is dead", 100, 1);
  await run("idle for 0.1 s, three are dead", 100, 3);
  await run("control, idle for an hour, three are dead", 3600000, 3);
  await run("control, none is dead", 100, 0);
  process.exit();
})();
PROGRAM

as_stated 'idle for 0.1 s, one is dead: 1 callers are told of a dead one, then 2 of 1 are lent at a time
idle for 0.1 s, three are dead: 3 callers are told of a dead one, then 4 of 1 are lent at a time
control, idle for an hour, three are dead: 3 callers are told of a dead one, then 1 of 1 are lent at a time
control, none is dead: 0 callers are told of a dead one, then 1 of 1 are lent at a time' "$(node "$tmp/hook.js")"
