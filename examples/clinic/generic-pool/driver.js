// SPDX-License-Identifier: Apache-2.0

// generic-pool, max 1; an acquire gives up after five seconds of virtual time.
"use strict";
const {givesUp, load, outside, serve} = require("../library.js");
const {createPool} = load("generic-pool");

const connections = {create: async () => { await outside("the server's greeting"); return {}; }, destroy: async () => {}};

serve({setup: () => createPool(connections, {max: 1, acquireTimeoutMillis: 5000}), operations: {
    acquire: async (pool, op) => {
        op.mine.connection = await givesUp(pool.acquire(), (error) => error.name === "TimeoutError");
    },
    release: async (pool, op) => { await pool.release(op.mine.connection); },
}});
