// SPDX-License-Identifier: Apache-2.0

// advanced-pool, max 1; a wait gives up after five seconds of virtual time.
"use strict";
const {load, outside, serve, timedOut, withCallback} = require("../library.js");
const {Pool} = load("advanced-pool");

const setup = () => new Pool({create: (callback) => outside("the server's greeting").then(() => callback(null, {})),
                              min: 0, max: 1, acquireTimeout: 5000});

serve({setup, operations: {
    acquire: async (pool, op) => {
        const {error, object} = await withCallback((done) => pool.acquire((failed, given) =>
            done({error: failed, object: given})));
        if (error) {
            throw timedOut;
        }
        op.mine.object = object;
    },
    release: (pool, op) => pool.release(op.mine.object),
}});
