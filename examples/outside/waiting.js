#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0

// A lock that waits, as waiting.py: who finds all places taken asks to be woken, and sleeps. With
// --lost-wake-up looking and asking are two steps. With --no-flag the row alone is waited for.
"use strict";
const {serve} = require("./lockkeeper_client.js");

const loses = process.argv.includes("--lost-wake-up");
const noFlag = process.argv.includes("--no-flag");

async function acquire(lock, {key, max_per: maxPer, buckets}) {
    const asleep = key + ".asleep", cap = maxPer * buckets;
    const take = (state) => {
        if ((state[key] || 0) < cap) {
            state[key] = (state[key] || 0) + 1;
            return true;
        }
        if (!loses && !noFlag) state[asleep] = true;
        return false;
    };
    while (!await lock.named("take a place").atomic([key, asleep], take)) {
        if (noFlag) {
            await lock.named("wait for a place").waitUntil(key, (taken) => (taken || 0) < cap);
            continue;
        }
        if (loses) await lock.named("ask to be woken").write(asleep, true);
        await lock.named("sleep").waitWhile(asleep, true);
    }
}

async function release(lock, {key}) {
    await lock.named("give back").atomic([key, key + ".asleep"], (state) => {
        state[key] -= 1;
        state[key + ".asleep"] = null;
    });
}

serve({stateless: true, durable: true, operations: {acquire, release}});
