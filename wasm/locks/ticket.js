// SPDX-License-Identifier: Apache-2.0

// A ticket lock: draw a number, wait until it is called. With --read-then-write the number is read and written with
// two steps: two callers draw the same one.
"use strict";
const {serve} = require("./lockkeeper_client.js");

const drawn = (key) => `${key}.drawn`, called = (key) => `${key}.called`;

async function draw(lock, key) {
    if (process.argv.includes("--read-then-write")) {
        const number = await lock.read(drawn(key)) || 0;
        await lock.write(drawn(key), number + 1);
        return number;
    }
    return await lock.updateCounter(drawn(key), 1, {create_if_not_exists: true}) - 1;
}

async function acquire(lock, {key}) {
    const mine = await draw(lock, key);
    await lock.waitUntil(called(key), (number) => (number || 0) === mine);
}

async function release(lock, {key}) {
    await lock.updateCounter(called(key), 1, {create_if_not_exists: true});
}

serve({stateless: true, durable: true, operations: {acquire, release}});
