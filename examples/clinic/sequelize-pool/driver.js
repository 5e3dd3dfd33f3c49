// SPDX-License-Identifier: Apache-2.0

// sequelize-pool, max 1; an acquire gives up after five seconds of virtual time.
"use strict";
const {givesUp, load, outside, serve} = require("../library.js");
const {Pool, TimeoutError} = load("sequelize-pool");

const refusal = new Error("the server refuses");

const setup = () => new Pool({create: async () => { await outside("the server's greeting", refusal); return {}; }, destroy: () => {},
                              validate: () => true, min: 0, max: 1, acquireTimeoutMillis: 5000});

serve({setup, operations: {
    acquire: async (pool, op) => {
        op.mine.connection = await givesUp(pool.acquire(), (error) => error instanceof TimeoutError || error === refusal);
    },
    // A caller whose name begins with D destroys its connection.
    release: (pool, op) => { pool[op.client.startsWith("D") ? "destroy" : "release"](op.mine.connection); },
}});
