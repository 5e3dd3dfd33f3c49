#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: rate-limit-threshold 0.2.1 (npm).
# Expected: who awaits limit() before each call makes at most 2 calls in 1 s, whoever asks.
# Really: a caller looks once how long the oldest call is ago, and does not look again when it wakes: of ten that ask
#   together two go, and the other eight go together a second later.
# Seen: the lines at the end of this script. Control: one caller that asks ten times.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages rate-limit-threshold@0.2.1

cat >"$tmp/together.mjs" <<'PROGRAM'
import {RateLimitThreshold} from "rate-limit-threshold";

// The most calls within any 0.9 s.
function most(times) {
  return Math.max(...times.map((from) => times.filter((time) => time >= from && time < from + 900).length));
}

async function run(title, callers, each) {
  const limiter = new RateLimitThreshold(2, 1);
  const times = [];
  await Promise.all(Array.from({length: callers}, async () => {
    for (let i = 0; i < each; i++) {
      await limiter.limit();
      times.push(performance.now());
    }
  }));
  const together = most(times);
  console.log(`${title}: ${times.length} calls, ${together > 4 ? together : "no more than 4"} within 0.9 s`);
}

await run("ten callers, once each", 10, 1);
await run("control, one caller", 1, 7);
PROGRAM

as_stated 'ten callers, once each: 10 calls, 8 within 0.9 s
control, one caller: 7 calls, no more than 4 within 0.9 s' "$(node "$tmp/together.mjs")"
