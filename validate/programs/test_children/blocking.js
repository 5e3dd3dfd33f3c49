// SPDX-License-Identifier: Apache-2.0

// Locks in blocking code, in worker threads, through the client library: blocking.js MODE.
// "counter" and "atomic": the counter of examples/outside. "files": a file in the data directory.
"use strict";
const fs = require("fs");
const path = require("path");
const {isMainThread} = require("worker_threads");
const {refused, serve} = require("../../../examples/outside/lockkeeper_client.js");

const mode = process.argv[2];
let calls = 0; // of this module as it was loaded

function acquire(lock, op) {
    if (mode === "files") {
        try {
            fs.closeSync(fs.openSync(path.join(process.env.LOCK_DIRECTORY, op.key), "wx"));
        } catch (error) {
            throw refused;
        }
        return {count: ++calls};
    }
    const limit = op.max_per * op.buckets;
    if (mode === "atomic") {
        if (lock.updateCounter(op.key, 1, {create_if_not_exists: true}) > limit) {
            lock.updateCounter(op.key, -1);
            throw refused;
        }
        return {count: ++calls};
    }
    const count = lock.read(op.key) || 0;
    if (count >= limit) throw refused;
    lock.write(op.key, count + 1);
    return {count: ++calls};
}

function release(lock, op) {
    if (mode === "files") fs.unlinkSync(path.join(process.env.LOCK_DIRECTORY, op.key));
    else lock.updateCounter(op.key, -1);
}

module.exports = {acquire, release};
if (isMainThread) {
    serve({blocking: __filename, stateless: mode !== "files",
           onStart: (init) => { process.env.LOCK_DIRECTORY = init.data_dir; }});
}
