#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Packages: leaky-bucket 4.1.4, and request-rate-limiter 2.0.3 with its leaky-bucket 3 (npm).
# Expected: the README of the bucket says that pause(n) pauses it for n seconds; that of the limiter says that
#   `backoffTime` is how long it backs off when the other side asks for that.
# Really: a pause is an item that costs as much as comes in in that time. One that is longer than the interval costs more
#   than the bucket ever holds: it never ends, and everybody waits behind it. A limiter of 10 requests in 1 s that keeps
#   to the standard 10 s of back-off stops for good at the first "too many requests".
# Seen: the lines at the end of this script, by a clock that the script turns. Control: a pause as long as the interval.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages leaky-bucket@4.1.4 request-rate-limiter@2.0.3

cat >"$tmp/pause.mjs" <<'PROGRAM'
import {mock} from "node:test";
import LeakyBucket from "leaky-bucket";
import Limiter, {BackoffError} from "request-rate-limiter";
mock.timers.enable({apis: ["Date", "setTimeout"], now: 1e12});
const later = () => new Promise((resolve) => setImmediate(resolve));

// Five minutes in steps of a tenth of a second, or until the promise is settled.
async function within(promise) {
  let told;
  const begin = Date.now();
  promise.then(() => (told = `served within ${Math.ceil((Date.now() - begin) / 1000)} s`), (error) => (told = error.message));
  await later();
  for (let step = 0; step < 3000 && !told; step++) {
    mock.timers.tick(100);
    await later();
  }
  return told || "waits for 5 minutes";
}

for (const seconds of [5, 10, 11]) {
  const bucket = new LeakyBucket({capacity: 10, interval: 10, timeout: 1000});
  await bucket.throttle();
  bucket.pause(seconds);
  console.log(`10 in 10 s, a pause of ${seconds} s, the next one: ${await within(bucket.throttle())}`);
}
for (const backoffTime of [1, 10]) {
  const limiter = new Limiter({requestRate: 10, interval: 1, timeout: 1000, backoffTime});
  let calls = 0;
  limiter.setRequestHandler(async () => {
    if (++calls == 1) throw new BackoffError("too many requests");
  });
  console.log(`10 in 1 s, a back-off of ${backoffTime} s: ${await within(limiter.request({}))}`);
}
PROGRAM

as_stated '10 in 10 s, a pause of 5 s, the next one: served within 6 s
10 in 10 s, a pause of 10 s, the next one: served within 11 s
10 in 10 s, a pause of 11 s, the next one: waits for 5 minutes
10 in 1 s, a back-off of 1 s: served within 2 s
10 in 1 s, a back-off of 10 s: waits for 5 minutes' "$(node --no-warnings "$tmp/pause.mjs" 2>/dev/null)"
