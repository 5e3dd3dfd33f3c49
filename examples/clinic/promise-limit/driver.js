// SPDX-License-Identifier: Apache-2.0

// promise-limit, limit 1.
"use strict";
const {load, serve, turns} = require("../library.js");
const promiseLimit = load("promise-limit");

serve({setup: () => promiseLimit(1), operations: turns((limit, work) => limit(work))});
