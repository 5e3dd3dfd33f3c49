// SPDX-License-Identifier: Apache-2.0

// async-mutex, each of whose releases is called twice.
"use strict";
const {load, serve} = require("../library.js");
const {Mutex} = load("async-mutex");

serve({setup: () => new Mutex(), operations: {
    acquire: async (mutex, op) => { op.mine.release = await mutex.acquire(); },
    release: (mutex, op) => {
        op.mine.release();
        op.mine.release();
    },
}});
