// SPDX-License-Identifier: Apache-2.0

// @esfx/async-mutex.
"use strict";
const {load, serve} = require("../library.js");
const {AsyncMutex} = load("@esfx/async-mutex");

serve({setup: () => new AsyncMutex(), operations: {
    acquire: async (lock, op) => { op.mine.handle = await lock.lock(); },
    release: async (lock, op) => { await op.mine.handle.unlock(); },
}});
