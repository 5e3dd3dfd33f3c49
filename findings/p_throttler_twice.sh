#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: p-throttler 1.0.2 (npm).
# Expected: the README says that enqueue() runs a function when a slot is free. It runs once.
# Really: enqueue() puts the function into the queue at once and looks for a slot at the end of the turn. If another
#   function ends in between, its end takes the new one out of the queue and runs it. The look at the end of the turn
#   does not ask whether it is still queued and runs it again, if a slot is free. A function that enqueues the next one
#   as its last act, as a crawler does with the next page, has it run twice. abort() does not take away what was
#   enqueued in the same turn either, for the same reason.
# Seen: the lines at the end of this script. Controls: the next one is enqueued well before the end; one slot only,
#   which the first run occupies.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages p-throttler@1.0.2

cat >"$tmp/twice.js" <<'PROGRAM'
const PThrottler = require("p-throttler");
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

// Each page enqueues the next one. The last one is page 4.
async function run(title, slots, pauses) {
  const throttler = PThrottler.create(slots);
  const runs = {};
  const page = (number) => async () => {
    runs[number] = (runs[number] ?? 0) + 1;
    await pause(20);
    if (number < 4) {
      throttler.enqueue(page(number + 1));
    }
    if (pauses) {
      await pause(20);
    }
  };
  throttler.enqueue(page(1));
  await pause(800);
  console.log(`${title}: pages 1 to 4 run ${Object.values(runs).join(", ")} times`);
}

async function aborted() {
  const throttler = PThrottler.create(2);
  let ran = false;
  throttler.enqueue(async () => { ran = true; });
  await throttler.abort();
  await pause(50);
  console.log(`enqueued and aborted: ${ran ? "runs after the end of abort()" : "does not run"}`);
}

(async () => {
  await run("16 slots", 16, false);
  await aborted();
  await run("control, 16 slots, a pause before the end", 16, true);
  await run("control, 1 slot", 1, false);
})();
PROGRAM

as_stated '16 slots: pages 1 to 4 run 1, 2, 4, 8 times
enqueued and aborted: runs after the end of abort()
control, 16 slots, a pause before the end: pages 1 to 4 run 1, 1, 1, 1 times
control, 1 slot: pages 1 to 4 run 1, 1, 1, 1 times' "$(node "$tmp/twice.js")"
