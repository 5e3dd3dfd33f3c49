#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: simple-token-bucket 2.0.0 (npm).
# Expected: a bucket that is filled with 700 tokens in 1 s gives 700 in a second, however often one asks.
# Really: for each token that it fills in it notes the whole milliseconds only, 1 for 1.43: who asks each millisecond gets
#   1000 in a second, of 400 in a second 500, and of 600 1000.
# Seen: the lines at the end of this script, with a clock of the program. Controls: one asks each 10 ms; 500 in 1 s.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages simple-token-bucket@2.0.0

cat >"$tmp/rate.js" <<'PROGRAM'
const {TokenBucket} = require("simple-token-bucket");

let now = 0;
Date.now = () => now;

// As many tokens as there are, at each step, for ten seconds.
function run(title, perSecond, step) {
  const bucket = new TokenBucket({capacity: 100, fillQuantity: perSecond, fillTime: 1000, initialCapacity: 0});
  const begin = now;
  let taken = 0;
  while (now < begin + 10000) {
    now += step;
    while (bucket.take(1) === 0) taken++;
  }
  console.log(`${title}: of ${perSecond} in 1 s ${taken / 10} in 1 s`);
}

run("each millisecond", 400, 1);
run("each millisecond", 600, 1);
run("each millisecond", 700, 1);
run("control, each 10 ms", 700, 10);
run("control, a rate of whole milliseconds", 500, 1);
PROGRAM

as_stated 'each millisecond: of 400 in 1 s 499.9 in 1 s
each millisecond: of 600 in 1 s 999.9 in 1 s
each millisecond: of 700 in 1 s 999.9 in 1 s
control, each 10 ms: of 700 in 1 s 700 in 1 s
control, a rate of whole milliseconds: of 500 in 1 s 500 in 1 s' "$(node "$tmp/rate.js")"
