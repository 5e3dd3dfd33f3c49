// SPDX-License-Identifier: Apache-2.0

// @esfx/async-semaphore, count 1 of 1.
"use strict";
const {load, serve} = require("../library.js");
const {AsyncSemaphore} = load("@esfx/async-semaphore");

serve({setup: () => new AsyncSemaphore(1, 1), operations: {
    acquire: async (lock) => { await lock.wait(); },
    release: (lock) => lock.release(),
}});
