// SPDX-License-Identifier: Apache-2.0

// @seahax/semaphore, capacity 1.
"use strict";
const {imported, serve} = require("../library.js");

imported("@seahax/semaphore").then((library) => serve({setup: () => library.createSemaphore({capacity: 1}), operations: {
    acquire: async (lock, op) => { op.mine.held = await lock.acquire(); },
    release: (lock, op) => op.mine.held.release(),
}}));
