#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: @tanstack/pacer 0.22.0 (npm; AsyncQueuer).
# Expected: the documentation of AsyncQueuer promises FIFO and LIFO order. With "getItemsFrom" set to "back" the item
#   that came last is processed first, and all items are processed.
# Really: the queue notes the item at its front as the one that takes a place and processes the one at its back. When
#   that is done it looks for it among those that have a place, does not find it, and the place stays taken. Each item
#   uses up one for good: a queue of 1 processes one item, one of 2 two, and then nothing more. Its status is "running".
# Seen: the lines at the end of this script. Controls: FIFO order; one item at a time, which is front and back.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages @tanstack/pacer@0.22.0

cat >"$tmp/lifo.mjs" <<'PROGRAM'
import {AsyncQueuer} from "@tanstack/pacer";
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

// Five items come, all at once or each when the one before is done. A sixth one comes when nothing happens any more.
async function run(title, concurrency, getItemsFrom, apart) {
  const processed = [];
  const queue = new AsyncQueuer(async (item) => {
    await pause(20);
    processed.push(item);
  }, {concurrency, getItemsFrom, started: apart});
  for (let item = 1; item <= 5; ++item) {
    queue.addItem(item);
    await pause(apart ? 200 : 0);
  }
  queue.start();
  await pause(800);
  queue.addItem(6);
  await pause(400);
  const {items, status} = queue.store.state;
  console.log(`${title}: processed ${processed.join(" ")}, ${items.length} wait, ${status}`);
}

await run("LIFO, 1 place", 1, "back", false);
await run("LIFO, 2 places", 2, "back", false);
await run("control, FIFO, 1 place", 1, "front", false);
await run("control, LIFO, one item at a time", 1, "back", true);
process.exit();
PROGRAM

as_stated 'LIFO, 1 place: processed 5, 5 wait, running
LIFO, 2 places: processed 5 4, 4 wait, running
control, FIFO, 1 place: processed 1 2 3 4 5 6, 0 wait, idle
control, LIFO, one item at a time: processed 1 2 3 4 5 6, 0 wait, idle' "$(node "$tmp/lifo.mjs")"
