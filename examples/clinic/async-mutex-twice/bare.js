// SPDX-License-Identifier: Apache-2.0

// A releases twice, the second time while B holds and C waits.
"use strict";
const {ends, load, pause} = require("../bare.js");

ends(async () => {
    const {Mutex} = load("async-mutex");
    const mutex = new Mutex();
    const inside = [];
    const release = await mutex.acquire();
    mutex.acquire().then(() => inside.push("B"));
    mutex.acquire().then(() => inside.push("C"));
    release();
    await pause(10);
    release();
    await pause(10);
    return inside.length > 1 && `${inside.join(" and ")} hold one mutex`;
});
