#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: @david.uhlir/mutex 1.2.10 (npm).
# Expected: the README says that all locks are sorted into a queue in the order of their arrival, that locks for several
#   which are queued up in a row are opened together, and that a key waits for its parent and for its children.
# Really: whoever fits beside those who run gets in, wherever it stands in the queue. As long as readers overlap, each of
#   them asking after the writer, the writer waits. As long as one of the children is held, the one who asked for the
#   parent waits, and children who came after it get in.
# Seen: the lines at the end of this script: five more ask behind the one who waits. Controls: the five ask for the lock
#   alone; the five ask for the parent.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages @david.uhlir/mutex@1.2.10

cat >"$tmp/overtaken.js" <<'PROGRAM'
const {SharedMutex} = require("@david.uhlir/mutex");
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

// Asks for the key and keeps it until it is told to leave.
function ask(key, several) {
  const asked = {inside: false};
  const left = new Promise((resolve) => { asked.leave = resolve; });
  const lock = several ? "lockMultiAccess" : "lockSingleAccess";
  asked.over = SharedMutex[lock](key, async () => {
    asked.inside = true;
    await left;
  });
  return asked;
}

// The first one is inside, the second one waits. Five others come, each before the one ahead of it leaves.
async function run(title, first, second, others) {
  let ahead = ask(...first);
  await pause(200);
  const waits = ask(...second);
  await pause(200);
  const all = [ahead, waits];
  let passed = 0;
  for (let number = 0; number < 5; ++number) {
    const next = ask(...others(number));
    all.push(next);
    await pause(200);
    passed += next.inside && !waits.inside ? 1 : 0;
    ahead.leave();
    ahead = next;
    await pause(200);
  }
  console.log(`${title}: ${passed} of 5 overtake, the one who waited is ${waits.inside ? "inside" : "outside"}`);
  all.forEach((one) => one.leave());
  await Promise.all(all.map((one) => one.over));
}

(async () => {
  await run("a writer behind readers", ["a", true], ["a", false], () => ["a", true]);
  await run("the parent behind its children", ["b/0"], ["b"], (number) => [`b/${number + 1}`]);
  await run("control, a writer before writers", ["c", true], ["c", false], () => ["c", false]);
  await run("control, the parent before others", ["d/0"], ["d"], () => ["d"]);
  process.exit();
})();
PROGRAM

as_stated 'a writer behind readers: 5 of 5 overtake, the one who waited is outside
the parent behind its children: 5 of 5 overtake, the one who waited is outside
control, a writer before writers: 0 of 5 overtake, the one who waited is inside
control, the parent before others: 0 of 5 overtake, the one who waited is inside' \
    "$(NODE_PATH="$tmp/node_modules" node "$tmp/overtaken.js" 2>"$tmp/log")"
