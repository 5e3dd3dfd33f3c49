// SPDX-License-Identifier: Apache-2.0

// A holds, B and C wait and give up. A releases: does isLocked() say that somebody holds?
"use strict";
const {ends, load, pause} = require("../bare.js");

ends(async () => {
    const {Mutex, withTimeout} = load("async-mutex");
    const mutex = withTimeout(new Mutex(), 30);
    const release = await mutex.acquire();
    mutex.acquire().catch(() => {});
    mutex.acquire().catch(() => {});
    await pause(60);
    release();
    return mutex.isLocked() && "isLocked() is true and nobody holds";
});
