// SPDX-License-Identifier: Apache-2.0

// proper-lockfile (npm), at both levels.
//
// proper_lockfile.js [--fork] [--stale]
//   --fork   @bybrave/proper-lockfile2, which renames a stale lock before it removes the lock
//   --stale  stepped: a process has died and left its lock, which is stale by now
//
// Black box: files in the run's data directory. Stepped: the library takes the file system as an
// option. Here it is a table in memory, and each call of it is one step; the library's clock is the
// harness's. Each caller has the library's modules to itself, as each process has.
"use strict";
const path = require("path");
const {client, find, load} = require("./load.js");

const name = process.argv.includes("--fork") ? "@bybrave/proper-lockfile2" : "proper-lockfile";
const entry = (load(name), find(name));
const kTick = 1000;                     // milliseconds of the library's clock
const kStart = Date.UTC(2020, 0, 1) + 5;
let directory = "", stepped = true;
let directories = new Map();            // path: mtime in milliseconds
let processes = new Map();              // by caller
let claims = 0;

const fail = (code) => { throw Object.assign(new Error(code), {code}); };
const calls = {
    mkdir: (time, file) => directories.has(file) ? fail("EEXIST") : directories.set(file, time),
    rmdir: (time, file) => directories.delete(file) || fail("ENOENT"),
    stat: (time, file) => ({mtime: new Date(directories.has(file) ? directories.get(file) : fail("ENOENT"))}),
    utimes: (time, file, atime, mtime) =>
        directories.has(file) ? directories.set(file, mtime.getTime()) : fail("ENOENT"),
    rename: (time, from, to) => { // a directory replaces an empty one
        if (!directories.has(from)) fail("ENOENT");
        directories.set(to, directories.get(from));
        directories.delete(from);
    },
};

// The calls of one process.
function fileSystem(caller) {
    const fs = {};
    for (const [call, change] of Object.entries(calls)) {
        const perform = async (...given) => {
            const done = given.pop();
            // Without what differs between two processes of the same version.
            const file = path.basename(given[0]).replace(/[.]reclaim-.*/, ".reclaim");
            const tick = await caller.lock.now(`${call} ${file}`);
            let failure = null, result;
            Date.now = () => kStart + tick * kTick;
            try {
                result = change(Date.now(), ...given);
            } catch (error) {
                failure = error;
            }
            done(failure, result);
        };
        fs[call] = (...given) => {
            const work = perform(...given).finally(() => caller.underWay.delete(work));
            caller.underWay.add(work);
        };
    }
    return fs;
}

// The library does not wait for each of its calls. An operation ends when the last one has ended.
async function finished(caller) {
    while (caller.underWay.size > 0) await Promise.all(caller.underWay);
}

function processOf(op, lock) {
    if (!processes.has(op.client)) {
        const inside = path.dirname(entry) + path.sep;
        Object.keys(require.cache)
            .filter((file) => file.startsWith(inside) && !file.includes("node_modules", inside.length))
            .forEach((file) => { delete require.cache[file]; });
        const caller = {locker: require(entry), releases: new Map(), underWay: new Set()};
        if (stepped) caller.options = {fs: fileSystem(caller)};
        processes.set(op.client, caller);
    }
    return Object.assign(processes.get(op.client), {lock});
}

async function acquire(lock, op) {
    const caller = processOf(op, lock);
    try {
        const file = path.join(directory, op.key);
        caller.releases.set(op.key, await caller.locker.lock(file, {realpath: false, ...caller.options}));
    } catch (error) {
        await finished(caller);
        if (error.code === "ELOCKED") throw client.refused;
        if (error.code === "ENOENT") throw new client.ProtocolError(11, "somebody removed the lock");
        throw error;
    }
}

async function release(lock, op) {
    try {
        await processOf(op, lock).releases.get(op.key)();
    } catch (error) {
        if (error.code === "ERELEASED" || error.code === "ENOTACQUIRED") throw client.notHeld;
        throw error;
    }
}

function onStart(init) {
    stepped = init.level === "stepped";
    directory = init.data_dir || "/";
    if (stepped) {
        Math.random = () => ++claims / 1000;              // names of files, the same in each run
        global.setTimeout = () => ({unref: () => {}});    // no run is so long that a lock is refreshed
    }
}

function onReset() {
    processes = new Map();
    directories = new Map();
    claims = 0;
    if (process.argv.includes("--stale")) directories.set("/db.lock", kStart - 3600000);
}

client.serve({operations: {acquire, release}, onStart, onReset});
