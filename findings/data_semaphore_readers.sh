#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: data-semaphore 0.3.10 (npm).
# Expected: ReadWriteSemaphore(2) lets two read at a time, or one write. A writer that waits for two readers writes when
#   both have left.
# Really: it waits for ever. Each reader takes a turn before the writer, and gives it back only if fewer read than places
#   are free at that moment: of two of two readers the first one that leaves keeps its turn. Nobody reads and nobody
#   writes from then on.
# Seen: the lines at the end of this script, when all who got in have left. Controls: one reader of two; no bound.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages data-semaphore@0.3.10

cat >"$tmp/readers.js" <<'PROGRAM'
const {ReadWriteSemaphore} = require("data-semaphore");
const settle = () => new Promise((resolve) => setTimeout(resolve, 5));

// The callers ask in this order. Then those who are in leave, one after the other.
async function run(title, lock, kinds) {
  const callers = [];
  for (const kind of kinds) {
    const caller = {kind, seen: "waits"};
    lock[kind].acquire().then((release) => { caller.seen = "in"; caller.release = release; });
    callers.push(caller);
    await settle();
  }
  for (let inside; (inside = callers.find(({seen}) => seen === "in"));) {
    inside.release();
    inside.seen = "done";
    await settle();
  }
  console.log(`${title}: ${callers.map(({kind, seen}) => `${kind} ${seen}`).join(", ")}`);
}

(async () => {
  await run("two of two read, then a writer", new ReadWriteSemaphore(2), ["read", "read", "write"]);
  await run("and others behind it", new ReadWriteSemaphore(2), ["read", "read", "write", "read", "write"]);
  await run("control, one of two reads", new ReadWriteSemaphore(2), ["read", "write", "read"]);
  await run("control, no bound", new ReadWriteSemaphore(), ["read", "read", "write", "read", "write"]);
})();
PROGRAM

as_stated 'two of two read, then a writer: read done, read done, write waits
and others behind it: read done, read done, write waits, read waits, write waits
control, one of two reads: read done, write done, read done
control, no bound: read done, read done, write done, read done, write done' "$(node "$tmp/readers.js")"
