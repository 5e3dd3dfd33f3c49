#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: back 1.0.2 (npm).
# Expected: backoff(callback) calls back after a while, and close() clears its timer, so that nothing is called once the
#   owner is disposed of. A second backoff() while the first one waits does nothing: an attempt is on its way.
# Really: the second one takes the place of the first in the object, without a timer of its own. close() finds no timer to
#   clear, and the first one calls back after close(): a connection that ended with two errors is made once more after
#   its end.
# Seen: the lines at the end of this script. Control: one backoff(), and the close().

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages back@1.0.2

cat >"$tmp/program.js" <<'PROGRAM'
const Back = require("back");
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

// So many calls of backoff(), and one of close().
async function run(title, calls) {
  const back = new Back({retries: 10, minDelay: 1000, maxDelay: 1000});
  let called = 0;
  for (let count = 0; count < calls; ++count) back.backoff(() => { ++called; });
  back.close();
  await pause(4000);
  console.log(`${title}: callbacks after close(): ${called}`);
}

(async () => {
  await run("the connection fails with two errors", 2);
  await run("control, with one", 1);
})();
PROGRAM

as_stated 'the connection fails with two errors: callbacks after close(): 1
control, with one: callbacks after close(): 0' "$(node "$tmp/program.js")"
