// SPDX-License-Identifier: Apache-2.0

// A lock on two replicas: whoever has both of them holds the lock. The replicas are asked at once,
// so two questions of one operation are open.
//
// replicas.js             both replicas
// replicas.js --any       one replica is enough: two callers hold the lock
"use strict";
const {refused, serve} = require("./lockkeeper_client.js");

const needed = process.argv.includes("--any") ? 1 : 2;
const replicas = (op) => [op.key + ".r1", op.key + ".r2"];
const giveBack = (lock, names) => Promise.all(names.map((name) => lock.delete(name)));

async function acquire(lock, op) {
    const names = replicas(op);
    const won = await Promise.all(names.map((name) => lock.insertNew(name, op.client)));
    const mine = names.filter((_, place) => won[place] !== null);
    if (mine.length < needed) {
        await giveBack(lock, mine);
        throw refused;
    }
}

async function release(lock, op) {
    await giveBack(lock, replicas(op));
}

serve({stateless: true, durable: true, operations: {acquire, release}});
