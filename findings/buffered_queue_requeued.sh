#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: buffered-queue 1.0.1 (npm).
# Expected: the README says that what is added is buffered until it is flushed, and that a flush hands the items to the
#   listener. An item that could not be handled and is added again by the listener is in the next flush.
# Really: the queue is emptied when the listener has returned. What is added within it, by a listener that tries again
#   or by anything that it calls, is thrown away: it is in no flush, no error.
# Seen: the lines at the end of this script. Control: the listener adds it a turn later.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages buffered-queue@1.0.1

cat >"$tmp/requeued.js" <<'PROGRAM'
const {mock} = require("node:test");
mock.timers.enable({apis: ["setTimeout"]});
const BufferedQueue = require("buffered-queue");
const later = () => new Promise((resolve) => setImmediate(resolve));

// The first flush of an item fails, and its listener adds it again.
async function run(title, again) {
  const queue = new BufferedQueue("jobs", {size: 10, flushTimeout: 1000});
  const flushes = [];
  const failed = new Set();
  queue.on("flush", (items) => {
    flushes.push(items.join(" "));
    for (const item of items.filter((item) => item == "B" && !failed.has(item))) {
      failed.add(item);
      again(() => queue.add(item));
    }
  });
  ["A", "B", "C"].forEach((item) => queue.add(item));
  for (let second = 0; second < 5; second++) {
    mock.timers.tick(1000);
    await later();
  }
  console.log(`${title}: flushes [${flushes.join("] [")}], ${queue.items.length} left`);
}

(async () => {
  await run("added again at once", (add) => add());
  await run("control, a turn later", (add) => queueMicrotask(add));
})();
PROGRAM

as_stated 'added again at once: flushes [A B C], 0 left
control, a turn later: flushes [A B C] [B], 0 left' "$(node --no-warnings "$tmp/requeued.js")"
