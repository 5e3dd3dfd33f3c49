#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: cockatiel 3.2.1 (npm; its bulkhead).
# Expected: the README says that bulkhead(1, 2) runs one call and queues two, and that the signal of a queued
#   call is looked at when its turn comes. So a cancelled call is passed over and the next one runs.
# Really: the end of a call takes one waiter from the queue. If that one was cancelled it is told so, and the
#   turn ends with it: the next waiter sleeps beside the free place until some later call ends.
# Seen: the lines at the end of this script. Control: nobody is cancelled.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages cockatiel@3.2.1

cat >"$tmp/cancelled.js" <<'PROGRAM'
const {bulkhead} = require("cockatiel");
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

async function run(title, isCancelled) {
  const places = bulkhead(1, 2);
  const state = {A: "waits", B: "waits"};
  const queue = (name, signal) =>
    places.execute(() => "has run", signal).then(
      (value) => { state[name] = value; },
      (error) => { state[name] = error.constructor.name; });
  const say = (when) => console.log(`${when}: A ${state.A}, B ${state.B}, ${places.executionSlots} free`);

  console.log(title);
  let end;
  const holder = places.execute(() => new Promise((resolve) => { end = resolve; }));
  const controller = new AbortController();
  queue("A", controller.signal);
  queue("B");
  await pause(100);
  say("one runs");
  if (isCancelled) controller.abort();
  end();
  await holder;
  await pause(1000);
  say("1 s after its end");
  await places.execute(() => {});
  await pause(100);
  say("after another call");
}

run("A is cancelled", true).then(() => run("control", false));
PROGRAM

as_stated 'A is cancelled
one runs: A waits, B waits, 0 free
1 s after its end: A TaskCancelledError, B waits, 1 free
after another call: A TaskCancelledError, B has run, 1 free
control
one runs: A waits, B waits, 0 free
1 s after its end: A has run, B has run, 1 free
after another call: A has run, B has run, 1 free' "$(node "$tmp/cancelled.js")"
