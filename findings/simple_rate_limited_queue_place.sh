#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: simple-rate-limited-queue 1.2.0 (npm).
# Expected: the README names two limits, "maxPerInterval" and "maxInProgress". An operation that both allow is executed.
# Really: the end of an operation gives its place back and does not look at the queue. Who waits for a place waits for
#   the end of the interval, beside a free place: with 10 in 3 s and 1 in progress short operations are executed once in
#   3 s. And the count of an interval is set back only while somebody waits: after ten operations and a rest of any
#   length the next one waits for a whole interval although nothing was executed in the one before.
# Seen: the lines at the end of this script. Controls: a second place; nine operations before the rest.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages simple-rate-limited-queue@1.2.0

cat >"$tmp/place.mjs" <<'PROGRAM'
import {RateLimitedQueue} from "simple-rate-limited-queue";
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const INTERVAL = 3000;

// Two short operations at once.
async function places(title, maxInProgress) {
  const queue = new RateLimitedQueue({maxPerInterval: 10, maxInProgress, intervalLength: INTERVAL});
  const began = Date.now();
  await Promise.all([queue.schedule(() => pause(50)), queue.schedule(() => pause(50))]);
  return `${title}: ${Date.now() - began < INTERVAL / 2 ? "at once" : "the second after an interval"}`;
}

// Some operations, a rest of two intervals and a half, and one more.
async function rest(title, before) {
  const queue = new RateLimitedQueue({maxPerInterval: 10, maxInProgress: 20, intervalLength: INTERVAL});
  await Promise.all(Array.from({length: before}, () => queue.token()));
  await pause(2.5 * INTERVAL);
  const began = Date.now();
  await queue.token();
  return `${title}: ${Date.now() - began < INTERVAL / 2 ? "at once" : "after an interval"}`;
}

const lines = await Promise.all([
  places("2 operations, 1 in progress", 1),
  rest("10 operations, a rest, one more", 10),
  places("control, 2 operations, 2 in progress", 2),
  rest("control, 9 operations, a rest, one more", 9),
]);
console.log(lines.join("\n"));
PROGRAM

as_stated '2 operations, 1 in progress: the second after an interval
10 operations, a rest, one more: after an interval
control, 2 operations, 2 in progress: at once
control, 9 operations, a rest, one more: at once' "$(node "$tmp/place.mjs")"
