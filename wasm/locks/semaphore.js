// SPDX-License-Identifier: Apache-2.0

// A semaphore of leases: a row of owners, each until its own end; as many as there are places. With --check-then-act
// it looks, and writes with a second step.
"use strict";
const {notHeld, refused, serve} = require("./lockkeeper_client.js");

const parameters = {ttl: 2};
const living = (row, now) => Object.fromEntries(Object.entries(row || {}).filter(([, until]) => until > now));

async function acquire(lock, {client, key, buckets}) {
    const begun = await lock.now();
    const until = begun + parameters.ttl;
    if (process.argv.includes("--check-then-act")) {
        const row = living(await lock.read(key), begun);
        if (Object.keys(row).length >= buckets) throw refused;
        await lock.write(key, {...row, [client]: until});
        return {until};
    }
    await lock.atomic([key], (state, {now}) => {
        const row = living(state[key], now);
        if (Object.keys(row).length >= buckets) throw refused;
        state[key] = {...row, [client]: until};
    }, {clock: true});
    return {until};
}

async function release(lock, {client, key}) {
    await lock.atomic([key], (state, {now}) => {
        const {[client]: mine, ...others} = living(state[key], now);
        if (mine === undefined) throw notHeld;
        state[key] = others;
    }, {clock: true});
}

serve({stateless: true, durable: true, parameters, operations: {acquire, release}});
