// SPDX-License-Identifier: Apache-2.0

// superlock, one slot; an aborted signal takes the waiter out.
"use strict";
const {ProtocolError, load, serve} = require("../library.js");
const {createLock} = load("superlock");
const cancelled = new ProtocolError(14, "cancelled");

serve({setup: () => createLock(1), operations: {
    acquire: async (lock, op) => {
        op.mine.release = await lock(op.signal);
        if (!op.mine.release) {
            throw cancelled;
        }
    },
    release: (lock, op) => op.mine.release(),
}});
