#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: mini-semaphore 1.3.3 (npm; restrictor).
# Expected: restrictor.one(key, work) runs one work of a key at a time; cleanup(seconds) forgets keys that were not used for
#   that long.
# Really: a key counts as used when a work has come in, not while it runs or waits: a key whose work lasts for longer is
#   forgotten under it, and the next work of that key runs beside it.
# Seen: the lines at the end of this script. Controls: the work is shorter than that; no cleanup.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages mini-semaphore@1.3.3

cat >"$tmp/cleanup.js" <<'PROGRAM'
const {restrictor} = require("mini-semaphore");
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

async function run(title, key, length, clean) {
  let inside = 0, most = 0;
  const work = async () => {
    most = Math.max(most, ++inside);
    await pause(length);
    inside--;
  };
  const first = restrictor.one(key, work);
  await pause(1500);
  const forgotten = clean ? await restrictor.cleanup(1) : 0;
  await Promise.all([first, restrictor.one(key, work)]);
  console.log(`${title}: ${forgotten} forgotten, ${most} at a time`);
}

(async () => {
  await run("a work of 2.5 s, a cleanup of what is older than 1 s", "a", 2500, true);
  await run("control, a work of 0.5 s", "b", 500, true);
  await run("control, no cleanup", "c", 2500, false);
})();
PROGRAM

as_stated 'a work of 2.5 s, a cleanup of what is older than 1 s: 1 forgotten, 2 at a time
control, a work of 0.5 s: 2 forgotten, 1 at a time
control, no cleanup: 0 forgotten, 1 at a time' "$(node "$tmp/cleanup.js")"
