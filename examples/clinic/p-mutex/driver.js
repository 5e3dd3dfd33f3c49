// SPDX-License-Identifier: Apache-2.0

// The lock of p-mutex, a package of ES modules.
"use strict";
const {imported, serve} = require("../library.js");

imported("p-mutex").then(({default: Mutex}) => serve({setup: () => new Mutex(), operations: {
    acquire: (lock) => lock.lock(),
    release: (lock) => lock.unlock(),
}}));
