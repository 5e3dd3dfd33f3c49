// SPDX-License-Identifier: Apache-2.0

// A rate limiter: "grants" in any "window" of ticks, by a log of the last ones. With --check-then-act it looks, and
// writes with a second step: whoever looks between them sees the same room.
"use strict";
const {refused, serve} = require("./lockkeeper_client.js");

const parameters = {grants: 1, window: 2};
const room = (log, now) => (log || []).filter((moment) => now - moment < parameters.window);

async function acquire(lock, {key}) {
    if (process.argv.includes("--check-then-act")) {
        const now = await lock.now();
        const log = room(await lock.read(key), now);
        if (log.length >= parameters.grants) throw refused;
        await lock.write(key, [...log, now]);
        return;
    }
    await lock.atomic([key], (state, {now}) => {
        const log = room(state[key], now);
        if (log.length >= parameters.grants) throw refused;
        state[key] = [...log, now];
    }, {clock: true});
}

serve({stateless: true, durable: true, parameters, operations: {acquire}});
