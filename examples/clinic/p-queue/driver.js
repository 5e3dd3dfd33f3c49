// SPDX-License-Identifier: Apache-2.0

// p-queue, concurrency 1.
"use strict";
const {load, serve, turns} = require("../library.js");
const {default: PQueue} = load("p-queue");

serve({setup: () => new PQueue({concurrency: 1}), operations: turns((queue, work) => queue.add(work))});
