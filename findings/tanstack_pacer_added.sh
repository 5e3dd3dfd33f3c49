#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: @tanstack/pacer 0.22.0 (npm; AsyncQueuer).
# Expected: the documentation of AsyncQueuer says that items are processed up to the "concurrency". An item that is
#   added while a place is free is processed at once.
# Really: addItem() looks at the queue only if no look is under way, and a look counts as under way until one finds
#   nothing to do, which is when all is done. Of ten items that are added to a running queue of 5, one after the other
#   or in one turn, one is processed: the others wait beside four free places until it is done. Only then are all five
#   used.
# Seen: the lines at the end of this script. Controls: the items are there before start(); they are initial items.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages @tanstack/pacer@0.22.0

cat >"$tmp/added.mjs" <<'PROGRAM'
import {AsyncQueuer} from "@tanstack/pacer";
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const ITEMS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];

// Ten items that last two seconds each come into a queue of 5 in the stated way.
async function run(title, options, fill) {
  let begun = 0;
  const queue = new AsyncQueuer(async () => {
    ++begun;
    await pause(2000);
  }, {concurrency: 5, ...options});
  await fill(queue);
  await pause(500);
  const first = begun;
  await pause(2200);
  return `${title}: ${first} at first, ${begun} when the first ones are done`;
}

const add = (queue) => ITEMS.forEach((item) => queue.addItem(item));
const slowly = async (queue) => {
  for (const item of ITEMS) {
    queue.addItem(item);
    await pause(20);
  }
};
const lines = await Promise.all([
  run("added in one turn", {}, add),
  run("added one after the other", {}, slowly),
  run("control, added before start()", {started: false}, (queue) => { add(queue); queue.start(); }),
  run("control, initial items", {initialItems: ITEMS, started: false}, (queue) => queue.start()),
]);
console.log(lines.join("\n"));
process.exit();
PROGRAM

as_stated 'added in one turn: 1 at first, 6 when the first ones are done
added one after the other: 1 at first, 6 when the first ones are done
control, added before start(): 5 at first, 10 when the first ones are done
control, initial items: 5 at first, 10 when the first ones are done' "$(node "$tmp/added.mjs")"
