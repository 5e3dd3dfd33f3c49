#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: @scratch/task-herder 15.1.1 (npm).
# Expected: the README says that an AbortSignal, or cancel(), cancels a task before it starts.
# Really: the first of the queue is taken out of it and pays its tokens before it waits for a place. While it waits
#   there no cancellation finds it: it runs when the place comes free, although it was aborted before. cancel() returns
#   false and cancelAll() leaves it, too. A signal that was aborted before the call is never noticed.
# Seen: the lines at the end of this script. Control: the second of the queue is aborted.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages @scratch/task-herder@15.1.1

cat >"$tmp/aborted.mjs" <<'PROGRAM'
import {TaskQueue} from "@scratch/task-herder";
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

// A occupies the only place, B and C wait in this order. One of them or all are cancelled before A ends.
async function run(title, cancel, signals = {}) {
  const queue = new TaskQueue({burstLimit: 10, sustainRate: 10, concurrency: 1});
  const state = {A: "waits", B: "waits", C: "waits"}, promises = {};
  for (const name of Object.keys(state)) {
    promises[name] = queue.do(async () => {
      state[name] = "runs";
      await pause(200);
    }, {signal: signals[name]});
    promises[name].catch(() => { state[name] = "cancelled"; });
    await pause(10);
  }
  const before = `B ${state.B}, C ${state.C}`;
  cancel(queue, promises);
  await pause(1000);
  console.log(`${title}: ${before}; B ${state.B}, C ${state.C}`);
}

const controller = new AbortController(), other = new AbortController(), aborted = AbortSignal.abort();
await run("B is aborted", () => controller.abort(), {B: controller.signal});
await run("cancel(B)", (queue, promises) => queue.cancel(promises.B));
await run("cancelAll()", (queue) => queue.cancelAll());
await run("C comes with an aborted signal", () => {}, {C: aborted});
await run("control, C is aborted", () => other.abort(), {C: other.signal});
PROGRAM

as_stated 'B is aborted: B waits, C waits; B runs, C runs
cancel(B): B waits, C waits; B runs, C runs
cancelAll(): B waits, C waits; B runs, C cancelled
C comes with an aborted signal: B waits, C waits; B runs, C runs
control, C is aborted: B waits, C waits; B runs, C cancelled' "$(node "$tmp/aborted.mjs")"
