// SPDX-License-Identifier: Apache-2.0

// Writers of rwlock; a wait gives up after five seconds of virtual time.
"use strict";
const {load, serve, timedOut, withCallback} = require("../library.js");
const Lock = load("rwlock");

serve({setup: () => new Lock(), operations: {
    acquire: async (lock, op) => {
        const error = await withCallback((done) => lock.async.writeLock((failed, release) => {
            op.mine.release = release;
            done(failed);
        }, {timeout: 5000}));
        if (error) {
            throw timedOut;
        }
    },
    release: (lock, op) => op.mine.release(),
}});
