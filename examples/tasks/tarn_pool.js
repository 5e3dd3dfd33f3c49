#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0

// The pool of tarn (npm), max 1, in whose first connection the server is silent. Its creation times
// out after a second of virtual time, an acquire after five. Run where `npm install tarn` was run.
"use strict";
const {outside, serve, timedOut} = require("./lockkeeper_tasks.js");
const {Pool, TimeoutError} = require(require.resolve("tarn", {paths: [process.cwd()]}));

function setup() {
    let tries = 0;
    const create = async () => {
        tries += 1;
        await (tries === 1 ? new Promise(() => {}) : outside("the server's greeting"));
        return {number: tries};
    };
    return new Pool({create, validate: () => true, destroy: () => {}, min: 0, max: 1, propagateCreateError: false,
                     createTimeoutMillis: 1000, acquireTimeoutMillis: 5000, createRetryIntervalMillis: 200,
                     idleTimeoutMillis: 30000, reapIntervalMillis: 30000});
}

async function acquire(pool, op) {
    const pending = pool.acquire();
    op.signal.addEventListener("abort", () => pending.abort());
    try {
        op.mine.connection = await pending.promise;
    } catch (error) {
        throw error instanceof TimeoutError ? timedOut : error;
    }
}

function release(pool, op) {
    pool.release(op.mine.connection);
}

serve({setup, operations: {acquire, release}});
