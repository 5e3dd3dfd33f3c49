// SPDX-License-Identifier: Apache-2.0

// A lock in the program's own memory, which needs both hooks: hooks.js memory, no-reset or no-crash.
"use strict";
const {notHeld, refused, serve} = require("../../../examples/outside/lockkeeper_client.js");

const mode = process.argv[2];
const held = new Map();

async function acquire(lock, op) {
    await lock.now("looks at " + op.key);
    if (held.has(op.key)) throw refused;
    held.set(op.key, op.client);
    await lock.access("leaves");
}

async function release(lock, op) {
    await lock.access("gives back");
    if (!held.delete(op.key)) throw notHeld;
}

serve({
    operations: {acquire, release},
    onReset: () => { if (mode !== "no-reset") held.clear(); },
    onCrash: async (client) => { // an async hook is waited for
        await null;
        for (const [key, owner] of held) if (owner === client && mode !== "no-crash") held.delete(key);
    },
});
