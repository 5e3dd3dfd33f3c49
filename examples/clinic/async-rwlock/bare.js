// SPDX-License-Identifier: Apache-2.0

// A writes, B waits for 50 ms and gives up. A unlocks. Can C write?
"use strict";
const {ends, load, pause} = require("../bare.js");

ends(async () => {
    const {RWLock} = load("async-rwlock");
    const lock = new RWLock();
    await lock.writeLock();
    await lock.writeLock(50).catch(() => {});
    lock.unlock();
    await pause(10);
    return lock.writeLock(200).then(() => "", () => "nobody holds, and the lock is not granted for 200 ms");
});
