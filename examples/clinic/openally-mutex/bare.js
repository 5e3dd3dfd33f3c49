// SPDX-License-Identifier: Apache-2.0

// A holds, B waits. A frees, and C asks before B goes on.
"use strict";
const {ends, load, pause} = require("../bare.js");

ends(async () => {
    const {Mutex} = load("@openally/mutex");
    const mutex = new Mutex({concurrency: 1});
    const inside = [];
    const free = await mutex.acquire();
    mutex.acquire().then(() => inside.push("B"));
    await pause(10);
    free();
    mutex.acquire().then(() => inside.push("C"));
    await pause(10);
    return inside.length > 1 && `${inside.join(" and ")} hold a mutex of concurrency 1`;
});
