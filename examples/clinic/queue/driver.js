// SPDX-License-Identifier: Apache-2.0

// queue, concurrency 1, started by itself.
"use strict";
const {imported, serve, turns, withCallback} = require("../library.js");

imported("queue").then((library) => serve({setup: () => new library.default({concurrency: 1, autostart: true}),
       operations: turns((queue, work) => withCallback((done) => queue.push(() => work().then(done))))}));
