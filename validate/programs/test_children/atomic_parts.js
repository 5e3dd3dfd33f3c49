// SPDX-License-Identifier: Apache-2.0

// A lock on two replicas, each of which is asked by an atomic step, as atomic_parts.py.
"use strict";
const {refused, serve} = require("../../../examples/outside/lockkeeper_client.js");

const needed = process.argv[2] === "any" ? 1 : 2;
const replicas = (op) => [op.key + ".r1", op.key + ".r2"];
const take = (lock, name, client) => lock.atomic([name], (state) => {
    if (state[name] !== null) return false;
    state[name] = client;
    return true;
});
const giveBack = (lock, names) =>
    Promise.all(names.map((name) => lock.atomic([name], (state) => { state[name] = null; })));

async function acquire(lock, op) {
    const names = replicas(op);
    const won = await Promise.all(names.map((name) => take(lock, name, op.client)));
    const mine = names.filter((_, place) => won[place]);
    if (mine.length < needed) {
        await giveBack(lock, mine);
        throw refused;
    }
}

const release = async (lock, op) => { await giveBack(lock, replicas(op)); };

serve({stateless: true, operations: {acquire, release}});
