// SPDX-License-Identifier: Apache-2.0

// async-limiter, concurrency 1.
"use strict";
const {load, serve, turns, withCallback} = require("../library.js");
const Limiter = load("async-limiter");

serve({setup: () => new Limiter({concurrency: 1}), operations: turns((limiter, work) => withCallback((done) => {
    limiter.push((end) => { work().then(() => { end(); done(); }); });
}))});
