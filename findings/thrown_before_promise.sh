#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Packages: fetch-throttle 0.1.0, promise-concurrency-limiter 2.0.1, queue-that-promise 1.2.3, pending-queue 1.2.1,
#   @mapbox/locking 3.3.0; the controls are make-concurrent 5.4.0 and promise-queue-ts 1.0.0 (npm).
# Expected: a function that fails gives its place back, whether it rejects or throws before there is a promise, as one that
#   checks its arguments does.
# Really: in five of seven packages the place is gone for good: nobody who comes later is served.
# Seen: the lines at the end of this script: how many of five later calls are answered, after one call that throws and after
#   one that rejects.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages fetch-throttle@0.1.0 promise-concurrency-limiter@2.0.1 queue-that-promise@1.2.3 pending-queue@1.2.1 \
    @mapbox/locking@3.3.0 make-concurrent@5.4.0 promise-queue-ts@1.0.0

cat >"$tmp/thrown.mjs" <<'PROGRAM'
import {createRequire} from "module";
const require = createRequire(import.meta.url);
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const limiter = await import("promise-concurrency-limiter");
const Limiter = limiter.default.default ?? limiter.default;
const {ConcurrentPromiseQueue} = require("promise-queue-ts");

// For each package: a function that asks with a work of one at a time, or of one key.
const packages = {
  "fetch-throttle": (work) => require("fetch-throttle")(work, 1, 1),
  "promise-concurrency-limiter": (work) => { const one = new Limiter({concurrency: 1}); return () => one.add(work); },
  "queue-that-promise": (work) => { const queue = require("queue-that-promise")(); return () => queue.add(work); },
  "pending-queue": (work) => {
    const queue = new (require("pending-queue"))({load: work});
    return () => queue.add("key");
  },
  "@mapbox/locking": (work) => {
    const read = require("@mapbox/locking")((id, callback) => {
      work().then((value) => callback(null, value), (error) => callback(error));
    });
    return () => new Promise((resolve, reject) => read("key", (error, value) => (error ? reject(error) : resolve(value))));
  },
  "control, make-concurrent": (work) => require("make-concurrent")(work, {concurrency: 1}),
  "control, promise-queue-ts": (work) => {
    const queue = new ConcurrentPromiseQueue(1);
    return () => queue.enqueue(work);
  },
};

async function later(make, fail) {
  let calls = 0, answered = 0;
  const ask = make(() => (++calls === 1 ? fail() : Promise.resolve("done")));
  try {
    Promise.resolve(ask()).catch(() => {});
  } catch (error) {
    // Told at once.
  }
  await pause(50);
  for (let i = 0; i < 5; i++) {
    Promise.resolve(ask()).then(() => { answered++; }, () => {});
    await pause(20);
  }
  return answered;
}

for (const [name, make] of Object.entries(packages)) {
  const thrown = await later(make, () => { throw new Error("no"); });
  const rejected = await later(make, () => Promise.reject(new Error("no")));
  console.log(`${name}: thrown ${thrown} of 5, rejected ${rejected} of 5`);
}
process.exit();
PROGRAM

as_stated 'fetch-throttle: thrown 0 of 5, rejected 5 of 5
promise-concurrency-limiter: thrown 0 of 5, rejected 5 of 5
queue-that-promise: thrown 0 of 5, rejected 5 of 5
pending-queue: thrown 0 of 5, rejected 5 of 5
@mapbox/locking: thrown 0 of 5, rejected 5 of 5
control, make-concurrent: thrown 5 of 5, rejected 5 of 5
control, promise-queue-ts: thrown 5 of 5, rejected 5 of 5' "$(node "$tmp/thrown.mjs")"
