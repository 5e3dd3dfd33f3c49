// SPDX-License-Identifier: Apache-2.0

// Mutex of @livekit/mutex.
"use strict";
const {load, serve} = require("../library.js");
const {Mutex} = load("@livekit/mutex");

serve({setup: () => new Mutex(), operations: {
    acquire: async (lock, op) => { op.mine.unlock = await lock.lock(); },
    release: (lock, op) => op.mine.unlock(),
}});
