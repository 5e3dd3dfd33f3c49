// SPDX-License-Identifier: Apache-2.0

// @databases/connection-pool, maxSize 1; a wait gives up after five seconds of virtual time.
"use strict";
const {givesUp, load, outside, serve} = require("../library.js");
const {default: ConnectionPool} = load("@databases/connection-pool");

const refusal = new Error("the server refuses");

const setup = () => new ConnectionPool({openConnection: async () => { await outside("the server's greeting", refusal); return {}; },
                                        closeConnection: async () => {}, maxSize: 1, queueTimeoutMilliseconds: 5000});

serve({setup, operations: {
    acquire: async (pool, op) => {
        op.mine.held = await givesUp(pool.getConnection(), (error) => /timed? ?out|refuses/i.test(error.message));
    },
    // A caller whose name begins with D disposes of its connection.
    release: (pool, op) => op.mine.held[op.client.startsWith("D") ? "dispose" : "release"](),
}});
