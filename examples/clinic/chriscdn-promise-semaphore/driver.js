// SPDX-License-Identifier: Apache-2.0

// @chriscdn/promise-semaphore, one at a time.
"use strict";
const {imported, serve} = require("../library.js");

imported("@chriscdn/promise-semaphore").then((library) => serve({setup: () => new library.Semaphore(1), operations: {
    acquire: async (lock) => { await lock.acquire(); },
    release: (lock) => lock.release(),
}}));
