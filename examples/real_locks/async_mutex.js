// SPDX-License-Identifier: Apache-2.0

// Mutex of async-mutex (npm).
//
// async_mutex.js [--version PACKAGE] [--twice]
//   --version  async-mutex (0.5.0, the default) or async-mutex-0.1 (0.1.3)
//   --twice    each release is called twice, as by a handler of errors and a `finally`
"use strict";
const {client, load} = require("./load.js");

const version = process.argv.indexOf("--version");
const {Mutex} = load(version < 0 ? "async-mutex" : process.argv[version + 1]);
const mutexes = new Map(), releases = new Map();

async function acquire(lock, op) {
    if (!mutexes.has(op.key)) mutexes.set(op.key, new Mutex());
    releases.set(op.client + "/" + op.key, await mutexes.get(op.key).acquire());
}

async function release(lock, op) {
    const give = releases.get(op.client + "/" + op.key);
    give();
    if (process.argv.includes("--twice")) give();
}

client.serve({operations: {acquire, release}});
