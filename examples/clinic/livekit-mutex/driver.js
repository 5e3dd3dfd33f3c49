// SPDX-License-Identifier: Apache-2.0

// MultiMutex of @livekit/mutex, limit 1.
"use strict";
const {load, serve} = require("../library.js");
const {MultiMutex} = load("@livekit/mutex");

serve({setup: () => new MultiMutex(1), operations: {
    acquire: async (lock, op) => { op.mine.unlock = await lock.lock(); },
    release: (lock, op) => op.mine.unlock(),
}});
