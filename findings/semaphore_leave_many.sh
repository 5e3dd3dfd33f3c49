#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: semaphore 1.1.0 (npm).
# Expected: when leave(3) gives back three places, three callers who wait for one each get in.
# Really: each leave() lets one waiter in, however many places came back: the others sleep beside free places until the
#   next leave(). Newcomers do get in, past those who sleep.
# Seen: the lines at the end of this script. Controls: leave() three times; a waiter who wants all three.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages semaphore@1.1.0

cat >"$tmp/leave.js" <<'PROGRAM'
const semaphore = require("semaphore");
const settled = () => new Promise((resolve) => setImmediate(resolve));

// One holds all three places, the others ask for `wants` places each. Then the holder leaves, then a newcomer asks.
async function run(title, wants, leave) {
  const places = semaphore(3);
  const inside = [];
  places.take(3, () => {});
  for (const name of ["A", "B", "C"].slice(0, wants.length)) {
    places.take(wants[inside.length] ?? 1, () => inside.push(name));
  }
  leave(places);
  await settled();
  const told = `inside ${inside.join(" ")}, waiting ${places.queue.length}, free ${places.capacity - places.current}`;
  places.take(1, () => inside.push("newcomer"));
  await settled();
  console.log(`${title}: ${told}; then a newcomer: inside ${inside.join(" ")}`);
}

(async () => {
  await run("leave(3)", [1, 1, 1], (places) => places.leave(3));
  await run("control, leave() three times", [1, 1, 1], (places) => [1, 1, 1].forEach(() => places.leave()));
  await run("control, one wants three", [3], (places) => places.leave(3));
})();
PROGRAM

as_stated 'leave(3): inside A, waiting 2, free 2; then a newcomer: inside A newcomer
control, leave() three times: inside A B C, waiting 0, free 0; then a newcomer: inside A B C
control, one wants three: inside A, waiting 0, free 0; then a newcomer: inside A' \
    "$(NODE_PATH="$tmp/node_modules" node "$tmp/leave.js")"
