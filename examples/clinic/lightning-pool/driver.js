// SPDX-License-Identifier: Apache-2.0

// lightning-pool, max 1; an acquire gives up after five seconds of virtual time.
"use strict";
const {givesUp, imported, outside, serve} = require("../library.js");

imported("lightning-pool").then((library) => {
    const refusal = new Error("the server refuses");
    const connections = {create: async () => { await outside("the server's greeting", refusal); return {}; }, destroy: () => {},
                         validate: () => {}, reset: () => {}};

    function setup() {
        const {createPool} = library;
        return createPool(connections, {max: 1, min: 0, minIdle: 0, acquireTimeoutMillis: 5000});
    }

    serve({setup, operations: {
        acquire: async (pool, op) => {
            op.mine.connection = await givesUp(pool.acquire(), (error) => /timed out|timeout|refuses/i.test(error.message));
        },
        // A caller whose name begins with D destroys its connection.
        release: async (pool, op) => {
            await pool[op.client.startsWith("D") ? "destroyAsync" : "releaseAsync"](op.mine.connection);
        },
    }});
});
