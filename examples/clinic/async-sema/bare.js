// SPDX-License-Identifier: Apache-2.0

// Misuse: one permit, released twice. Do two get it?
"use strict";
const {ends, load, pause} = require("../bare.js");

ends(async () => {
    const {Sema} = load("async-sema");
    const sema = new Sema(1);
    let granted = 0;
    await sema.acquire();
    sema.release();
    sema.release();
    sema.acquire().then(() => { granted += 1; });
    sema.acquire().then(() => { granted += 1; });
    await pause(10);
    return granted > 1 && `${granted} hold the one permit`;
});
