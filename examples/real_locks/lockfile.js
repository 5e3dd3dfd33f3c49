// SPDX-License-Identifier: Apache-2.0

// lockfile (npm): a file that exists, and is stale when it is older than the scenario's ttl.
"use strict";
const path = require("path");
const {promisify} = require("util");
const {client, load} = require("./load.js");

const lockfile = load("lockfile");
const parameters = {};
let directory = "";
const milliseconds = () => Number(process.hrtime.bigint() / 1000000n);
const file = (op) => path.join(directory, op.key + ".lock");

async function acquire(lock, op) {
    const asked = milliseconds();
    try {
        await promisify(lockfile.lock)(file(op), {stale: parameters.ttl});
    } catch (error) {
        throw client.refused; // EEXIST, or whatever came in between
    }
    return {until: asked + parameters.ttl};
}

async function release(lock, op) {
    await promisify(lockfile.unlock)(file(op));
}

client.serve({parameters, operations: {acquire, release},
              onStart: ({data_dir}) => { directory = data_dir; }});
