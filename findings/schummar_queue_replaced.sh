#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: schummar-queue 0.2.0 (npm).
# Expected: replace(action) takes the place of what waits: those callers have the result of the new action, or its error.
# Really: the error goes to the caller of replace() only: those whose actions were replaced are told nothing, ever.
# Seen: the lines at the end of this script, when the queue is empty. Controls: the new action succeeds; clear().

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages schummar-queue@0.2.0

cat >"$tmp/replaced.mjs" <<'PROGRAM'
import {createQueue} from "schummar-queue";
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

async function run(title, end) {
  const queue = createQueue();
  const told = {};
  const watch = (name, promise) => promise.then((value) => { told[name] = value; }, (error) => { told[name] = error.message; });
  watch("a", queue(async () => { await pause(50); return "stored 1"; }));
  watch("b", queue(async () => "stored 2"));
  watch("c", queue(async () => "stored 3"));
  end(queue, watch);
  await pause(300);
  console.log(`${title}: ${["a", "b", "c", "d"].map((name) => `${name} ${told[name] ?? "nothing"}`).join(", ")}; size ${queue.size}`);
}

await run("replaced by one that fails", (queue, watch) => {
  watch("d", queue.replace(async () => { throw new Error("disk full"); }));
});
await run("control, by one that succeeds", (queue, watch) => { watch("d", queue.replace(async () => "stored 4")); });
await run("control, cleared", (queue) => { queue.clear(); });
PROGRAM

as_stated 'replaced by one that fails: a stored 1, b nothing, c nothing, d disk full; size 0
control, by one that succeeds: a stored 1, b stored 4, c stored 4, d stored 4; size 0
control, cleared: a stored 1, b Canceled, c Canceled, d nothing; size 0' "$(node "$tmp/replaced.mjs")"
