// SPDX-License-Identifier: Apache-2.0

// Lock of @matrixai/async-locks; an aborted signal takes the waiter out.
"use strict";
const {imported, serve} = require("../library.js");

imported("@matrixai/async-locks").then((library) => serve({setup: () => new library.Lock(), operations: {
    acquire: async (lock, op) => { [op.mine.release] = await lock.lock({signal: op.signal})(); },
    release: async (lock, op) => { await op.mine.release(); },
}}));
