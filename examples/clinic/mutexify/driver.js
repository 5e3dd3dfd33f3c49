// SPDX-License-Identifier: Apache-2.0

// mutexify, in its form with promises.
"use strict";
const {load, serve} = require("../library.js");
const mutexify = load("mutexify/promise");

serve({setup: () => mutexify(), operations: {
    acquire: async (lock, op) => { op.mine.release = await lock(); },
    release: (lock, op) => op.mine.release(),
}});
