#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: semasync 1.0.5 (npm).
# Expected: the README says that a time-out abandons an unfinished acquisition. Its caller has nothing then, and when
#   all others have given back what they had, "available" is the size again.
# Really: a waiter that asks for several leases collects them one by one. If its time is over before it has all of them,
#   those that it has collected are not given back: they are lost for good, and newcomers wait beside a semaphore that
#   nobody holds. With an AbortSignal it is the same.
# Seen: the lines at the end of this script. Controls: the waiter has collected nothing; it asks for one.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages semasync@1.0.5

cat >"$tmp/lost.js" <<'PROGRAM'
const {Semaphore} = require("semasync");
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

// A holds some of three leases, B asks for others and gives up. Then A gives back its own.
async function run(title, held, wanted, abandon) {
  const semaphore = new Semaphore(3);
  await semaphore.acquire(held);
  const told = await semaphore.acquire({count: wanted, ...abandon()}).then(() => "granted", (error) => error.message);
  semaphore.release(held);
  const free = semaphore.available;
  const all = await semaphore.acquire({count: 3, timeoutMs: 200}).then(() => "gets", () => "does not get");
  console.log(`${title}: B ${told}, ${free} of 3 available, a newcomer ${all} all three`);
}

(async () => {
  const timeout = () => ({timeoutMs: 50});
  const abort = () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 50);
    return {signal: controller.signal};
  };
  await run("A has 1, B wants 3, a time-out", 1, 3, timeout);
  await run("A has 1, B wants 3, a signal", 1, 3, abort);
  await run("control, A has 3, B wants 3, a time-out", 3, 3, timeout);
  await run("control, A has 3, B wants 1, a signal", 3, 1, abort);
  process.exit();
})();
PROGRAM

as_stated 'A has 1, B wants 3, a time-out: B timed out, 1 of 3 available, a newcomer does not get all three
A has 1, B wants 3, a signal: B aborted, 1 of 3 available, a newcomer does not get all three
control, A has 3, B wants 3, a time-out: B timed out, 3 of 3 available, a newcomer gets all three
control, A has 3, B wants 1, a signal: B aborted, 3 of 3 available, a newcomer gets all three' "$(node "$tmp/lost.js")"
