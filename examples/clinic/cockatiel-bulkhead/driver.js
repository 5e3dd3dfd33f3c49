// SPDX-License-Identifier: Apache-2.0

// bulkhead(1, 2) of cockatiel; an aborted signal takes the waiter out.
"use strict";
const {ProtocolError, load, serve, turns} = require("../library.js");
const {TaskCancelledError, bulkhead} = load("cockatiel");
const cancelled = new ProtocolError(14, "cancelled");

serve({setup: () => bulkhead(1, 2), operations: turns((places, work, op) => places.execute(work, op.signal).catch((error) => {
    throw error instanceof TaskCancelledError ? cancelled : error;
}))});
