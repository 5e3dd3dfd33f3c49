// SPDX-License-Identifier: Apache-2.0

// generic-pool, max 1; an acquire gives up after five seconds of virtual time.
"use strict";
const {givesUp, load, outside, serve} = require("../library.js");
const {createPool} = load("generic-pool");

const refusal = new Error("the server refuses");

const connections = {create: async () => { await outside("the server's greeting", refusal); return {}; }, destroy: async () => {}};

serve({setup: () => createPool(connections, {max: 1, acquireTimeoutMillis: 5000}), operations: {
    acquire: async (pool, op) => {
        op.mine.connection = await givesUp(pool.acquire(), (error) => error.name === "TimeoutError");
    },
    // A caller whose name begins with D destroys its connection.
    release: async (pool, op) => { await pool[op.client.startsWith("D") ? "destroy" : "release"](op.mine.connection); },
}});
