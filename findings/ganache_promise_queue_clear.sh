#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: @ganache/promise-queue 0.4.2 (npm).
# Expected: clear(value) resolves all who wait at once with that value, says its comment; the event "idle" tells that
#   nothing is pending in the queue.
# Really: clear() notes the value and resolves nobody: each one waits on for its own promise and for all before it, so
#   that one which never ends holds the others for ever. When the last of those ends "idle" is told, beside whatever was
#   added after the clear().
# Seen: the lines at the end of this script. Controls: all promises end; nothing is added after the clear().

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages @ganache/promise-queue@0.4.2

cat >"$tmp/clear.js" <<'PROGRAM'
const PromiseQueue = require("@ganache/promise-queue").default;
const pause = (milliseconds, value) => new Promise((resolve) => setTimeout(resolve, milliseconds, value));

async function run(title, promises, added) {
  const queue = new PromiseQueue();
  const seen = promises.map(() => "waits");
  promises.forEach((promise, index) => queue.add(promise).then((value) => { seen[index] = value; }));
  queue.clear("cleared");
  await pause(10);
  const first = seen.join(", ");
  let idle = "nothing is told";
  if (added) {
    queue.add(pause(5000));
  }
  queue.once("idle").then(() => { idle = `idle is told while the queue is ${queue.isBusy() ? "busy" : "empty"}`; });
  await pause(300);
  console.log(`${title}: after clear() ${first}; 0.3 s later ${seen.join(", ")}; ${idle}`);
}

(async () => {
  const never = new Promise(() => {});
  await run("the first one never ends", [never, pause(0, "B"), pause(0, "C")], false);
  await run("all end after 0.1 s, one is added", [pause(100, "A"), pause(0, "B"), pause(0, "C")], true);
  await run("control, all end after 0.1 s", [pause(100, "A"), pause(0, "B"), pause(0, "C")], false);
  process.exit();
})();
PROGRAM

as_stated 'the first one never ends: after clear() waits, waits, waits; 0.3 s later waits, waits, waits; nothing is told
all end after 0.1 s, one is added: after clear() waits, waits, waits; 0.3 s later cleared, cleared, cleared; idle is told while the queue is busy
control, all end after 0.1 s: after clear() waits, waits, waits; 0.3 s later cleared, cleared, cleared; idle is told while the queue is empty' "$(node "$tmp/clear.js")"
