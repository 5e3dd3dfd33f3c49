#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0

// The queue of async-lock (npm): acquire(..., {maxPending: 1}) promises that beside the holder one may
// wait. So two are let in, which is a semaphore of two places: a caller acquires one when its call is
// not refused, and gives it back when its turn is over. Run where `npm install async-lock` was run.
"use strict";
const {refused, serve} = require("./lockkeeper_tasks.js");
const AsyncLock = require(require.resolve("async-lock", {paths: [process.cwd()]}));

async function acquire(lock, op) {
    const over = new Promise((resolve) => { op.mine.end = resolve; });
    let answer = null;
    op.mine.turn = lock.acquire("key", () => over, {maxPending: 1}).catch((error) => { answer = error; });
    await null; // a call that is refused rejects at once
    await null;
    if (answer !== null) {
        throw refused;
    }
}

async function release(lock, op) {
    op.mine.end();
    await op.mine.turn;
}

serve({setup: () => new AsyncLock(), operations: {acquire, release}});
