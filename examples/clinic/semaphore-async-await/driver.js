// SPDX-License-Identifier: Apache-2.0

// semaphore-async-await, one permit; waitFor gives up after five seconds of virtual time.
"use strict";
const {load, serve, timedOut} = require("../library.js");
const {default: Semaphore} = load("semaphore-async-await");

serve({setup: () => new Semaphore(1), operations: {
    acquire: async (lock) => {
        if (!await lock.waitFor(5000)) {
            throw timedOut;
        }
    },
    release: (lock) => lock.signal(),
}});
