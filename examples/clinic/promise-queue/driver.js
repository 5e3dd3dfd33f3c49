// SPDX-License-Identifier: Apache-2.0

// promise-queue, one at a time.
"use strict";
const {load, serve, turns} = require("../library.js");
const Queue = load("promise-queue");

serve({setup: () => new Queue(1), operations: turns((queue, work) => queue.add(work))});
