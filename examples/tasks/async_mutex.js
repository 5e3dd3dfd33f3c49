#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0

// async-mutex (npm), whose waiters give up after a second of virtual time. A caller whose name begins
// with T only tries: it asks isLocked(), and is refused where that says yes. Run where
// `npm install async-mutex` was run.
"use strict";
const {refused, serve, timedOut} = require("./lockkeeper_tasks.js");
const {Mutex, withTimeout} = require(require.resolve("async-mutex", {paths: [process.cwd()]}));

async function acquire(mutex, op) {
    if (op.client.startsWith("T") && mutex.isLocked()) {
        throw refused;
    }
    op.mine.release = await mutex.acquire();
}

serve({setup: () => withTimeout(new Mutex(), 1000, timedOut),
       operations: {acquire, release: (mutex, op) => op.mine.release()}});
