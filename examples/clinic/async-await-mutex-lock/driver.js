// SPDX-License-Identifier: Apache-2.0

// async-await-mutex-lock, by a key.
"use strict";
const {load, serve} = require("../library.js");
const {Lock} = load("async-await-mutex-lock");

serve({setup: () => new Lock(), operations: {
    acquire: async (lock) => { await lock.acquire("key"); },
    release: (lock) => lock.release("key"),
}});
