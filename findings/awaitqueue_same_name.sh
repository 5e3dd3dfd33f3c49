#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: awaitqueue 3.3.0 (npm).
# Expected: push() with "removeOngoingTasksWithSameName" takes the older tasks of that name out of the queue. Then the
#   others and the new one have their turns.
# Really: if one of the older tasks is the one that runs, it is taken out, and nobody is given its turn: its end counts
#   as told already. If somebody else waits as well, the new task is not the only one and does not begin by itself
#   either. The queue sleeps from then on, whatever is pushed later.
# Seen: the lines at the end of this script. Controls: nobody else waits; the older one waits and does not run.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages awaitqueue@3.3.0

cat >"$tmp/name.js" <<'PROGRAM'
const {AwaitQueue} = require("awaitqueue");
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

// The tasks that are there have names. A new one removes those that are called "refresh". A last one comes when all is
// quiet.
async function run(title, names) {
  const queue = new AwaitQueue();
  const done = [];
  const push = (label, name, options) => {
    queue.push(async () => {
      await pause(100);
      done.push(label);
    }, name, options).catch(() => {});
  };
  names.forEach((name, index) => push(`${name} ${index + 1}`, name));
  await pause(20);
  push("new", "refresh", {removeOngoingTasksWithSameName: true});
  await pause(1000);
  push("last", "other");
  await pause(500);
  console.log(`${title}: done ${done.join(", ")}; ${queue.size} in the queue`);
}

(async () => {
  await run("refresh runs, another one waits", ["refresh", "other"]);
  await run("control, refresh runs alone", ["refresh"]);
  await run("control, another one runs, refresh waits", ["other", "refresh"]);
})();
PROGRAM

as_stated 'refresh runs, another one waits: done refresh 1; 3 in the queue
control, refresh runs alone: done refresh 1, new, last; 0 in the queue
control, another one runs, refresh waits: done other 1, new, last; 0 in the queue' "$(node "$tmp/name.js")"
