// SPDX-License-Identifier: Apache-2.0

// Writers of RWLock of @rocicorp/lock.
"use strict";
const {imported, serve} = require("../library.js");

imported("@rocicorp/lock").then((library) => serve({setup: () => new library.RWLock(), operations: {
    acquire: async (lock, op) => { op.mine.release = await lock.write(); },
    release: (lock, op) => op.mine.release(),
}}));
