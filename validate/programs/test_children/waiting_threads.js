// SPDX-License-Identifier: Apache-2.0

// The lock of examples/outside/waiting.js in blocking code, in worker threads.
"use strict";
const {isMainThread} = require("worker_threads");
const {serve} = require("../../../examples/outside/lockkeeper_client.js");

const loses = process.argv.includes("--lost-wake-up");

function acquire(lock, {key, max_per: maxPer, buckets}) {
    const asleep = key + ".asleep", cap = maxPer * buckets;
    const take = (state) => {
        if ((state[key] || 0) < cap) {
            state[key] = (state[key] || 0) + 1;
            return true;
        }
        if (!loses) state[asleep] = true;
        return false;
    };
    while (!lock.named("take a place").atomic([key, asleep], take)) {
        if (loses) lock.write(asleep, true);
        lock.named("sleep").waitWhile(asleep, true);
    }
}

function release(lock, {key}) {
    lock.atomic([key, key + ".asleep"], (state) => {
        state[key] -= 1;
        state[key + ".asleep"] = null;
    });
}

module.exports = {acquire, release};
if (isMainThread) serve({blocking: __filename, stateless: true, durable: true});
