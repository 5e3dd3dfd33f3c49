#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0

// A lease in a shared store, as lease.py: one row for each key, {owner, token, until}, replaced as
// a whole. With --renew-anybody a renewal forgets to ask whose lease it is. With --early an acquire
// takes a lease a tick before its end. With --exact it reads the clock after the row, and looks
// again when the row has changed.
"use strict";
const {notHeld, refused, serve} = require("./lockkeeper_client.js");

const parameters = {ttl: 2};
const checksOwner = !process.argv.includes("--renew-anybody");
const early = process.argv.includes("--early") ? 1 : 0;
const exact = process.argv.includes("--exact");

async function acquire(lock, operation) {
    const {client, key} = operation;
    const before = exact ? null : await lock.now();
    const row = await lock.read(key);
    const now = exact ? await lock.now() : before;
    if (row && row.owner && row.until > now + early) throw refused;
    const next = {owner: client, token: (row ? row.token : 0) + 1, until: now + parameters.ttl};
    if (!await lock.cas(key, row, next)) {
        if (exact) return acquire(lock, operation);
        throw refused;
    }
    return {token: next.token, until: next.until};
}

async function renew(lock, {key, token}) {
    const now = await lock.now();
    const row = await lock.read(key);
    if (!row || checksOwner && row.token !== token) throw notHeld;
    const next = {...row, until: now + parameters.ttl};
    if (!await lock.cas(key, row, next)) throw notHeld;
    return {until: next.until};
}

async function release(lock, {key, token}) {
    const row = await lock.read(key);
    if (!row || row.token !== token || !row.owner) throw notHeld;
    if (!await lock.cas(key, row, {...row, owner: null})) throw notHeld;
}

serve({stateless: true, durable: true, parameters, operations: {acquire, renew, release}});
