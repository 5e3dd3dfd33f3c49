// SPDX-License-Identifier: Apache-2.0

// semaphore, capacity 1.
"use strict";
const {load, serve, withCallback} = require("../library.js");
const semaphore = load("semaphore");

serve({setup: () => semaphore(1), operations: {
    acquire: (lock) => withCallback((done) => lock.take(() => done())),
    release: (lock) => lock.leave(),
}});
