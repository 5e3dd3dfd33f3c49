// SPDX-License-Identifier: Apache-2.0

// @calebboyd/semaphore, size 1.
"use strict";
const {load, serve} = require("../library.js");
const {Semaphore} = load("@calebboyd/semaphore");

serve({setup: () => new Semaphore(1), operations: {
    acquire: async (lock) => { await lock.acquire(); },
    release: (lock) => lock.release(),
}});
