#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0

// A lock in the way of Redis, as set_nx_px.py: SET key owner NX PX ttl; release and renewal name
// the owner. A caller believes to hold until ttl after it *began* to ask. Planted bugs:
// --plain-delete, --renew-anybody, --two-steps, --late-clock.
"use strict";
const {notHeld, refused, serve} = require("./lockkeeper_client.js");

const parameters = {ttl: 2};
const has = (flag) => process.argv.includes(flag);

async function acquire(lock, {client, key}) {
    const {ttl} = parameters;
    let begun = await lock.now();
    const time = has("--two-steps") ? {} : {ttl};
    if (await lock.insertNew(key, client, time) === null) throw refused;
    if (has("--two-steps")) await lock.expire(key, ttl);
    if (has("--late-clock")) begun = await lock.now();
    return {until: begun + ttl};
}

async function renew(lock, {client, key}) {
    const {ttl} = parameters;
    const begun = await lock.now();
    const done = has("--renew-anybody") ? await lock.expire(key, ttl)
                                        : await lock.expire(key, ttl, client);
    if (done === null) throw notHeld;
    return {until: begun + ttl};
}

async function release(lock, {client, key}) {
    if (has("--plain-delete")) await lock.delete(key);
    else if (await lock.delete(key, client) === null) throw notHeld;
}

serve({stateless: true, durable: true, parameters, operations: {acquire, renew, release}});
