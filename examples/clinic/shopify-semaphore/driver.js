// SPDX-License-Identifier: Apache-2.0

// @shopify/semaphore, one permit.
"use strict";
const {load, serve} = require("../library.js");
const {Semaphore} = load("@shopify/semaphore");

serve({setup: () => new Semaphore(1), operations: {
    acquire: async (lock, op) => { op.mine.permit = await lock.acquire(); },
    release: (lock, op) => { op.mine.permit.release(); },
}});
