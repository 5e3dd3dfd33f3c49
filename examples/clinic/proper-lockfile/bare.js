// SPDX-License-Identifier: Apache-2.0

// A lock that somebody left is stale. A and B ask; A's file system is slow to remove the stale lock.
"use strict";
const fs = require("fs");
const os = require("os");
const path = require("path");
const {ends, load, pause} = require("../bare.js");

ends(async () => {
    const {lock} = load("proper-lockfile");
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "lockfile-"));
    const file = path.join(folder, "data");
    fs.writeFileSync(file, "");
    fs.mkdirSync(file + ".lock");
    fs.utimesSync(file + ".lock", 1, 1);
    const slow = {...fs, rmdir: (name, callback) => setTimeout(() => fs.rmdir(name, callback), 300)};
    const inside = [];
    const ask = (name, system) => lock(file, {fs: system, onCompromised: () => {}}).then(() => inside.push(name), () => {});
    try {
        const asked = [ask("A", slow), ask("B", fs)];
        await Promise.all(asked);
        await pause(10);
        return inside.length > 1 && `${inside.join(" and ")} hold one lock`;
    } finally {
        fs.rmSync(folder, {recursive: true});
    }
});
