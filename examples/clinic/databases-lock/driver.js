// SPDX-License-Identifier: Apache-2.0

// @databases/lock: a wait gives up after five seconds of virtual time.
"use strict";
const {givesUp, load, serve} = require("../library.js");
const {createLock} = load("@databases/lock");

serve({setup: () => createLock(5000), operations: {
    acquire: async (lock) => { await givesUp(lock.acquireLock(), (error) => /Timed out/.test(error.message)); },
    release: (lock) => lock.releaseLock(),
}});
