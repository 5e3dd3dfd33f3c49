// SPDX-License-Identifier: Apache-2.0

// maxPending 1: one may hold and one may wait. Three ask.
"use strict";
const {ends, load, pause} = require("../bare.js");

ends(async () => {
    const AsyncLock = load("async-lock");
    const lock = new AsyncLock();
    let refused = 0;
    for (let caller = 0; caller < 3; caller += 1) {
        lock.acquire("key", () => pause(100), {maxPending: 1}).catch(() => { refused += 1; });
    }
    await pause(10);
    return refused === 0 && "one holds and two wait, with maxPending 1";
});
