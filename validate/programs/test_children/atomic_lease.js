// SPDX-License-Identifier: Apache-2.0

// A lease that is taken in one step, as atomic_lease.py.
"use strict";
const {notHeld, refused, serve} = require("../../../examples/outside/lockkeeper_client.js");

const ttl = 2;

async function acquire(lock, op) {
    const take = (state, {now, expire}) => {
        if (state.db) throw refused;
        state.db = op.client;
        if (process.argv[2] === "right") expire("db", ttl);
        return now + ttl;
    };
    return {until: await lock.atomic(["db"], take, {clock: true})};
}

const release = (lock, op) => lock.atomic(["db"], (state) => {
    if (state.db !== op.client) throw notHeld;
    state.db = null;
});

serve({stateless: true, operations: {acquire, release}});
