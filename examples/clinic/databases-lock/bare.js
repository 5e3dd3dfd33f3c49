// SPDX-License-Identifier: Apache-2.0

// A holds, B gives up after 100 ms. A still holds: does C get the lock?
"use strict";
const {ends, load, pause} = require("../bare.js");

ends(async () => {
    const {createLock} = load("@databases/lock");
    const lock = createLock(100);
    const inside = ["A"];
    await lock.acquireLock();
    lock.acquireLock().then(() => inside.push("B"), () => {});
    await pause(60);
    lock.acquireLock().then(() => inside.push("C"), () => {});
    await pause(70);
    return inside.length > 1 && `${inside.join(" and ")} hold one lock`;
});
