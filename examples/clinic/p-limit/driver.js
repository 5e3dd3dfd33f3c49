// SPDX-License-Identifier: Apache-2.0

// p-limit, limit 1.
"use strict";
const {load, serve, turns} = require("../library.js");
const limit = load("p-limit");

serve({setup: () => limit(1), operations: turns((run, work) => run(work))});
