// SPDX-License-Identifier: Apache-2.0

// A lock that somebody left is stale. A, B and C ask, and their calls of the file system come in an order in which
// each of them may be slow: B makes a new lock while C has renamed the stale one, and A renames the new one. Each
// has the library's modules for itself, as in a process of its own.
"use strict";
const fs = require("fs");
const os = require("os");
const path = require("path");
const {ends, load, pause} = require("../bare.js");

const order = [..."CAACCCBBBACCCC"];

// Lets each call wait for its turn; when all turns are over, none waits.
function callsOf(name) {
    const calls = {...fs};
    for (const call of ["mkdir", "rename", "rmdir", "stat", "utimes"]) {
        calls[call] = async (...given) => {
            while (order.length > 0 && order[0] !== name) await pause(1);
            const answer = given.pop();
            fs[call](...given, (...said) => {
                order.shift();
                answer(...said);
            });
        };
    }
    return calls;
}

ends(async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "lockfile-"));
    const file = path.join(folder, "data");
    fs.mkdirSync(file + ".lock");
    fs.utimesSync(file + ".lock", 1, 1);
    const inside = [];
    const ask = (name) => {
        Object.keys(require.cache).forEach((key) => delete require.cache[key]);
        const {lock} = load("@bybrave/proper-lockfile2");
        return lock(file, {realpath: false, fs: callsOf(name), onCompromised: () => {}})
            .then(() => inside.push(name), () => {});
    };
    const asked = [..."ABC"].map(ask);
    await Promise.race([Promise.all(asked), pause(3000)]);
    fs.rmSync(folder, {recursive: true});
    return inside.length > 1 && `${inside.join(" and ")} hold one lock`;
});
