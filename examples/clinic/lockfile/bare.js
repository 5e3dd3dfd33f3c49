// SPDX-License-Identifier: Apache-2.0

// A holds for longer than stale. B takes over. A unlocks at last: does C get the lock beside B?
"use strict";
const fs = require("fs");
const os = require("os");
const path = require("path");
const {promisify} = require("util");
const {ends, load, pause} = require("../bare.js");

ends(async () => {
    const lockfile = load("lockfile");
    const lock = promisify(lockfile.lock);
    const unlock = promisify(lockfile.unlock);
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "lockfile-"));
    const file = path.join(folder, "lock");
    try {
        await lock(file, {stale: 100});
        await pause(300);
        await lock(file, {stale: 100});   // B
        await unlock(file);               // A
        return await lock(file, {stale: 10000}).then(() => "C gets the lock while B holds", () => "");
    } finally {
        fs.rmSync(folder, {recursive: true});
    }
});
