#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: semlocks 1.3.0 (npm).
# Expected: with `wait` a caller waits for at most that time; who has the lock keeps it until the release, or for `ttl`.
# Really: the timer of the wait is set after a free lock was granted, and nobody clears it: when the time is over the
#   lock is released under its holder, without a word, and the next one gets in beside him.
# Seen: the lines at the end of this script. Controls: the holder had to wait for the lock; no `wait`.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages semlocks@1.3.0

cat >"$tmp/wait.js" <<'PROGRAM'
const {Semlocks} = require("semlocks");
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

async function run(title, options, before) {
  const locks = new Semlocks();
  let inside = 0, most = 0;
  const work = (milliseconds) => async (error, release) => {
    most = Math.max(most, ++inside);
    await pause(milliseconds);
    inside--;
    release();
  };
  if (before) locks.acquire("door", {}, work(50));
  locks.acquire("door", options, work(3000));
  locks.acquire("door", {}, work(100));
  await pause(4500);
  console.log(`${title}: ${most} inside at a time, held now: ${JSON.stringify(locks.getLocks())}`);
}

(async () => {
  await run("a free lock with wait: 1000", {wait: 1000}, false);
  await run("control, it had to wait", {wait: 1000}, true);
  await run("control, no wait", {}, false);
})();
PROGRAM

as_stated 'a free lock with wait: 1000: 2 inside at a time, held now: {}
control, it had to wait: 1 inside at a time, held now: {}
control, no wait: 1 inside at a time, held now: {}' "$(node --no-deprecation "$tmp/wait.js")"
