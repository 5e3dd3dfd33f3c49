// SPDX-License-Identifier: Apache-2.0

// Semaphore of locks, count 1.
"use strict";
const {load, serve, withCallback} = require("../library.js");
const {createSemaphore} = load("locks");

serve({setup: () => createSemaphore(1), operations: {
    acquire: (lock) => withCallback((done) => lock.wait(() => done())),
    release: (lock) => lock.signal(),
}});
