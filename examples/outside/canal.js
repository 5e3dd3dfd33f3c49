#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0

// Canal lock over a shared store, as canal.py: the repaired algorithm, or with --faithful the
// published one.
"use strict";
const {ProtocolError, refused, serve} = require("./lockkeeper_client.js");

const sum = (counts) => counts.reduce((total, count) => total + count, 0);

// Replaces the row by what `edit` makes of it (null: leave it); what edit returned.
async function change(lock, key, edit) {
    for (;;) {
        const old = await lock.read(key);
        const row = edit(old || {counts: [], owners: {}});
        if (row === null || await lock.cas(key, old, row)) return row;
    }
}

async function acquire(lock, {client, key, max_per, buckets}) {
    // The manager knows before there is something to give back.
    await lock.monitor(client, "manager", {dead: client, key});
    const row = await change(lock, key, ({counts, owners}) => {
        if (sum(counts) >= max_per * buckets) return null;
        const grown = [...counts, ...Array(Math.max(0, buckets - counts.length)).fill(0)];
        ++grown[grown.findIndex((count) => count < max_per)];
        return {counts: grown, owners: {...owners, [client]: (owners[client] || 0) + 1}};
    });
    if (row === null) throw refused;
    return {count: sum(row.counts)};
}

async function giveBack(lock, key, client, everything) {
    await change(lock, key, ({counts, owners}) => {
        if (!owners[client]) return null;
        const lower = [...counts];
        for (let i = everything ? owners[client] : 1; i > 0; --i) {
            let bucket = lower.length - 1;
            while (lower[bucket] === 0) --bucket;
            --lower[bucket];
        }
        const left = {...owners, [client]: everything ? 0 : owners[client] - 1};
        if (left[client] === 0) delete left[client];
        return {counts: lower, owners: left};
    });
}

async function release(lock, {client, key}) {
    await giveBack(lock, key, client, false);
}

async function manager(lock) {
    for (;;) {
        const {dead, key} = await lock.receive("manager");
        await giveBack(lock, key, dead, true);
    }
}

// There is no such row, or no rule for what it counts.
const dies = new ProtocolError(13, "badarg");

async function acquireFaithful(lock, {key, max_per, buckets}) {
    for (let bucket = 1;;) {
        const cap = max_per + 1;
        let position = await lock.updateCounter(`${key}.${bucket}`, 1, {most: cap});
        if (position === null) {
            if (!await lock.insertNew(`${key}.${bucket}`, 1)) continue;
            if (bucket === 1) await lock.write(`${key}.highest`, 1);
            else if (await lock.updateCounter(`${key}.highest`, 1) === null) throw dies;
            position = 1;
        } else if (position === cap && bucket === buckets) {
            throw refused;
        } else if (position === cap && bucket < buckets) {
            ++bucket;
            continue;
        }
        return {count: (bucket - 1) * max_per + position};
    }
}

async function releaseFaithful(lock, {key, max_per}) {
    let bucket = await lock.read(`${key}.highest`);
    if (bucket === null) throw dies;
    for (;;) {
        const count = await lock.updateCounter(`${key}.${bucket}`, -1);
        if (count === null || count > max_per) throw dies;
        if (count >= 0 && count < max_per) return;
        if (count === max_per) break;
        await lock.updateCounter(`${key}.${bucket}`, 1);
        if (--bucket === 0) return;
    }
    for (let tries = 15; tries > 0; --tries) { // the unit was the mark "full": now a real one
        const count = await lock.updateCounter(`${key}.${bucket}`, -1, {least: 0});
        if (count < max_per) return;
        if (count > max_per) throw dies;
    }
    await lock.updateCounter(`${key}.${bucket}`, -2, {least: 0});
}

if (process.argv.includes("--faithful")) {
    serve({stateless: true, operations: {acquire: acquireFaithful, release: releaseFaithful}});
} else {
    serve({stateless: true, operations: {acquire, release}, background: {manager}});
}
