// SPDX-License-Identifier: Apache-2.0

// bottleneck, maxConcurrent 1.
"use strict";
const {load, serve, turns} = require("../library.js");
const Bottleneck = load("bottleneck");

serve({setup: () => new Bottleneck({maxConcurrent: 1}), operations: turns((limiter, work) => limiter.schedule(work))});
