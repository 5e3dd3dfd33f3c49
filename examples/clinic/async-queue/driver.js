// SPDX-License-Identifier: Apache-2.0

// async.queue, concurrency 1.
"use strict";
const {load, serve, turns} = require("../library.js");
const async = load("async");

serve({setup: () => async.queue((work, callback) => { work().then(() => callback()); }, 1),
       operations: turns((queue, work) => queue.pushAsync(work))});
