// SPDX-License-Identifier: Apache-2.0

// @sapphire/async-queue; an aborted signal takes the waiter out.
"use strict";
const {load, serve} = require("../library.js");
const {AsyncQueue} = load("@sapphire/async-queue");

serve({setup: () => new AsyncQueue(), operations: {
    acquire: async (lock, op) => { await lock.wait({signal: op.signal}); },
    release: (lock) => lock.shift(),
}});
