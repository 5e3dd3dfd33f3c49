// SPDX-License-Identifier: Apache-2.0

// p-lock, by one key.
"use strict";
const {imported, serve} = require("../library.js");

imported("p-lock").then((library) => serve({setup: () => library.getLock(), operations: {
    acquire: async (lock, op) => { op.mine.release = await lock("key"); },
    release: (lock, op) => op.mine.release(),
}}));
