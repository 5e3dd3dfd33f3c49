// SPDX-License-Identifier: Apache-2.0

// The writers of MutexRW of mutex-ts.
"use strict";
const {load, serve} = require("../library.js");
const {MutexRW} = load("mutex-ts");

serve({setup: () => new MutexRW(), operations: {
    acquire: async (lock, op) => { op.mine.release = await lock.obtainRW(); },
    release: (lock, op) => op.mine.release(),
}});
