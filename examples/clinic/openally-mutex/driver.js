// SPDX-License-Identifier: Apache-2.0

// @openally/mutex, concurrency 1; an aborted signal takes the waiter out.
"use strict";
const {load, serve} = require("../library.js");
const {Mutex} = load("@openally/mutex");

serve({setup: () => new Mutex({concurrency: 1}), operations: {
    acquire: async (lock, op) => { op.mine.free = await lock.acquire({signal: op.signal}); },
    release: (lock, op) => op.mine.free(),
}});
