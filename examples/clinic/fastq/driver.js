// SPDX-License-Identifier: Apache-2.0

// fastq.promise, concurrency 1.
"use strict";
const {load, serve, turns} = require("../library.js");
const fastq = load("fastq");

serve({setup: () => fastq.promise((work) => work(), 1), operations: turns((queue, work) => queue.push(work))});
