// SPDX-License-Identifier: Apache-2.0

// await-semaphore, one permit.
"use strict";
const {load, serve} = require("../library.js");
const {Semaphore} = load("await-semaphore");

serve({setup: () => new Semaphore(1), operations: {
    acquire: async (lock, op) => { op.mine.release = await lock.acquire(); },
    release: (lock, op) => op.mine.release(),
}});
