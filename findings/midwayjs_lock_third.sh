#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: @midwayjs/simple-lock 1.2.2 (npm).
# Expected: acquire(key, fn) runs the functions of a key one after the other.
# Really: the end of a function starts the next one and notes the key as done afterwards: who comes while that next one
#   runs, with nobody behind it, runs beside it.
# Seen: the lines at the end of this script. Control: the third one comes early.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages @midwayjs/simple-lock@1.2.2

cat >"$tmp/third.js" <<'PROGRAM'
const Lock = require("@midwayjs/simple-lock").default;
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

async function run(title, third) {
  const lock = new Lock();
  let inside = 0, most = 0;
  const work = async () => {
    most = Math.max(most, ++inside);
    await pause(1000);
    inside--;
  };
  lock.acquire("door", work);
  lock.acquire("door", work);
  await pause(third);
  lock.acquire("door", work);
  await pause(4500 - third);
  console.log(`${title}: ${most} at a time`);
}

(async () => {
  await run("the third one comes while the second one works", 1500);
  await run("control, it comes while the first one works", 500);
})();
PROGRAM

as_stated 'the third one comes while the second one works: 2 at a time
control, it comes while the first one works: 1 at a time' "$(node "$tmp/third.js")"
