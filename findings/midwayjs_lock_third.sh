#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: @midwayjs/simple-lock 1.2.2 (npm).
# Expected: acquire(key, fn) runs the functions of a key one after the other.
# Really: the end of a function starts the next one and notes the key as done afterwards: who comes while that next one
#   runs, with nobody behind it, runs beside it. A function that throws before its promise is never noted as done, and
#   the key is lost for all who come later.
# Seen: the lines at the end of this script. Controls: the third one comes early; the function rejects.

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
    await pause(200);
    inside--;
  };
  lock.acquire("door", work);
  lock.acquire("door", work);
  await pause(third);
  lock.acquire("door", work);
  await pause(900 - third);
  console.log(`${title}: ${most} at a time`);
}

async function fail(title, work) {
  const lock = new Lock();
  let later = 0;
  lock.acquire("door", work).catch(() => {});
  await pause(50);
  for (let i = 0; i < 5; i++) lock.acquire("door", async () => { later++; });
  await pause(100);
  console.log(`${title}: ${later} of 5 later ones have run`);
}

(async () => {
  await run("the third one comes while the second one works", 300);
  await run("control, it comes while the first one works", 100);
  await fail("the function throws", () => { throw new Error("no"); });
  await fail("control, it rejects", async () => { throw new Error("no"); });
})();
PROGRAM

as_stated 'the third one comes while the second one works: 2 at a time
control, it comes while the first one works: 1 at a time
the function throws: 0 of 5 later ones have run
control, it rejects: 5 of 5 later ones have run' "$(node "$tmp/third.js")"
