// SPDX-License-Identifier: Apache-2.0

// await-lock: a wait gives up after five seconds of virtual time.
"use strict";
const {givesUp, imported, serve} = require("../library.js");

imported("await-lock").then((library) => serve({setup: () => new library.default(), operations: {
    acquire: (lock) => givesUp(lock.acquireAsync({timeout: 5000}), (error) => /Timed out/.test(error.message)),
    release: (lock) => lock.release(),
}}));
