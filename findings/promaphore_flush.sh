#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: promaphore 1.0.0 (npm).
# Expected: the README says that one awaits all pending operations with flush(). It waits, and the semaphore goes on as it
#   was made.
# Really: flush() sets the limit to 1 and leaves it there. A semaphore of 5 lets in one at a time after the first flush,
#   for as long as it lives; and while somebody waits in flush() the others are held back to one as well.
# Seen: the lines at the end of this script. Control: nobody calls flush().

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages promaphore@1.0.0

cat >"$tmp/flush.js" <<'PROGRAM'
const Semaphore = require("promaphore");
const later = () => new Promise((resolve) => setImmediate(resolve));

async function run(title, flush) {
  const semaphore = new Semaphore(5);
  let inside = 0;
  const enter = () => semaphore.wait().then(() => inside++);
  for (let caller = 0; caller < 5; caller++) enter();
  await later();
  const first = inside;
  const flushed = flush && semaphore.flush();
  for (; inside > 0; inside--) semaphore.signal();
  await flushed;
  for (let caller = 0; caller < 10; caller++) enter();
  await later();
  console.log(`${title}: at first ${first} of 5 are in, later ${inside} of ten who ask`);
}

(async () => {
  await run("all have left, flush() has ended", true);
  await run("control, all have left", false);
})();
PROGRAM

as_stated 'all have left, flush() has ended: at first 5 of 5 are in, later 1 of ten who ask
control, all have left: at first 5 of 5 are in, later 5 of ten who ask' "$(node "$tmp/flush.js")"
