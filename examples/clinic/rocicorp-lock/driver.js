// SPDX-License-Identifier: Apache-2.0

// Lock of @rocicorp/lock.
"use strict";
const {imported, serve} = require("../library.js");

imported("@rocicorp/lock").then((library) => serve({setup: () => new library.Lock(), operations: {
    acquire: async (lock, op) => { op.mine.release = await lock.lock(); },
    release: (lock, op) => op.mine.release(),
}}));
