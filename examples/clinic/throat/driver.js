// SPDX-License-Identifier: Apache-2.0

// throat(1).
"use strict";
const {load, serve, turns} = require("../library.js");
const throat = load("throat");

serve({setup: () => throat(1), operations: turns((run, work) => run(work))});
