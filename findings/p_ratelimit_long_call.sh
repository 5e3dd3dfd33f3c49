#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: p-ratelimit 1.0.1 (npm).
# Expected: the README says that a call that would exceed the rate is queued and delayed until it can run within the
#   limits. With 2 calls in 0.5 s and 10 at once, two more calls begin each half second.
# Really: while any call runs nobody looks at the clock. The queue is looked at when a call ends, and by a timer only if
#   none runs: as long as one call lasts, those that wait for the rate wait for that call. Of 5 short calls behind a
#   long one the first begins at once and 4 wait for its end, though the rate was free 5 times and 9 places are free.
# Seen: the lines at the end of this script. Control: all calls are short.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages p-ratelimit@1.0.1

cat >"$tmp/long_call.js" <<'PROGRAM'
const {pRateLimit} = require("p-ratelimit");
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

async function run(title, first) {
  const limit = pRateLimit({interval: 500, rate: 2, concurrency: 10});
  let begun = 0;
  limit(() => first);
  for (let index = 0; index < 5; ++index) {
    limit(async () => { ++begun; });
  }
  await pause(3000);
  return `${title}: after 3 s ${begun} of 5 have begun`;
}

(async () => {
  let end;
  const long = new Promise((resolve) => { end = resolve; });
  console.log(await run("behind a call that lasts", long));
  console.log(await run("control, behind a short call", Promise.resolve()));
  end();
})();
PROGRAM

as_stated 'behind a call that lasts: after 3 s 1 of 5 have begun
control, behind a short call: after 3 s 5 of 5 have begun' "$(node "$tmp/long_call.js")"
