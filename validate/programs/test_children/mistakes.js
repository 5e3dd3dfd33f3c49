// SPDX-License-Identifier: Apache-2.0

// Mistakes in a lock's own script, through the client library: mistakes.js MODE, as mistakes.py.
"use strict";
const assert = require("assert");
const {isMainThread} = require("worker_threads");
const {ProtocolError, refused, serve} = require("../../../examples/outside/lockkeeper_client.js");

const mode = process.argv[2];
const double = (state) => {
    state.db = 1;
    state[mode === "other-key" ? "other" : "db"] += 1;
    if (mode === "thrown") throw new RangeError("in the middle");
};

const after = {
    name: () => undefinedName, // eslint-disable-line no-undef
    answer: () => ({until: 1n}),
    value: (lock) => lock.write("db", 1n),
    "step-name": (lock) => lock.named(7).read("db"),
    "long-name": (lock) => lock.named("x".repeat(10000000)).read("db"),
    thrown: (lock) => lock.atomic(["db"], double),
    "other-key": (lock) => lock.atomic(["db"], double),
    awaits: (lock) => lock.atomic(["db"], async (state) => { state.db = 1; }),
    nested: (lock) => lock.atomic(["db"], () => { lock.atomic(["db"], double); }),
    assertion: () => assert.ok(false, "as the lock promises itself"),
    purpose: () => { throw new Error("as the lock promises itself"); },
    "own-error": () => { throw new ProtocolError(14, "the lock says so"); },
    dies: () => { throw new ProtocolError(13, "the lock says so"); },
    undone: async (lock) => {
        await lock.delete("db");
        await lock.atomic(["db"], (state) => { state.db = 1; throw refused; });
    },
};

async function acquire(lock) {
    if (mode === "type" && await lock.read("db") !== null) return null.count;
    await lock.write("db", 1);
    return after[mode] ? await after[mode](lock) : {};
}

function acquireBlocking(lock) {
    lock.access("looks");
    return null.count;
}

module.exports = {acquire: acquireBlocking};
if (isMainThread) {
    serve({
        blocking: mode === "blocking" ? __filename : null, stateless: true,
        operations: {acquire, release: (lock) => lock.write("db", 0)},
        onReset: () => { if (mode === "hook") null.count; },
    });
}
