// SPDX-License-Identifier: Apache-2.0

// Mutex of locks; a wait gives up after five seconds of virtual time.
"use strict";
const {load, serve, timedOut, withCallback} = require("../library.js");
const {createMutex} = load("locks");

serve({setup: () => createMutex(), operations: {
    acquire: async (lock) => {
        const error = await withCallback((done) => lock.timedLock(5000, done));
        if (error) {
            throw timedOut;
        }
    },
    release: (lock) => lock.unlock(),
}});
