// SPDX-License-Identifier: Apache-2.0

// For the drivers of this folder: the loop of lockkeeper_tasks.js, and the library, which is installed where
// the driver runs.
"use strict";
const fs = require("fs");
const path = require("path");
const {pathToFileURL} = require("url");
const tasks = require("../tasks/lockkeeper_tasks.js"); // first: it sets timers and clocks

// Node.js before 22 does not have it.
Promise.withResolvers ??= () => {
    const parts = {};
    parts.promise = new Promise((resolve, reject) => Object.assign(parts, {resolve, reject}));
    return parts;
};

const load = (name) => require(require.resolve(name, {paths: [process.cwd()]}));

// The file of an "exports" that is made of conditions.
const entry = (part) => typeof part === "string" ? part : entry(part["."] ?? part.import ?? part.default);

// A package of ES modules: a promise.
function imported(name) {
    const folder = path.join(process.cwd(), "node_modules", name);
    const document = JSON.parse(fs.readFileSync(path.join(folder, "package.json"), "utf8"));
    return import(pathToFileURL(path.join(folder, entry(document.exports ?? document.main ?? "index.js"))));
}

// Operations of what runs functions in turn: a caller is let in when its function runs, and releases by
// ending it. `run(lock, work, op)` gives `work` to the library, and returns its promise where there is one.
// isRefusal(error): the library did not let it in.
const turns = (run, isRefusal = () => false) => ({
    acquire: (lock, op) => new Promise((resolve, reject) => {
        const work = () => {
            const over = new Promise((end) => { op.mine.end = end; });
            resolve();
            return over;
        };
        op.mine.turn = Promise.resolve(run(lock, work, op)).catch((error) => {
            reject(isRefusal(error) ? tasks.refused : error);
        });
    }),
    release: async (lock, op) => {
        op.mine.end();
        await op.mine.turn;
    },
});

// The same for what takes a function with a callback: the promise of its turn.
const withCallback = (begin) => new Promise((resolve) => begin(resolve));

// What a call rejects with because it gave up is "timed out"; anything else is the driver's mistake.
const givesUp = (promise, isTimeout) => promise.catch((error) => {
    throw isTimeout(error) ? tasks.timedOut : error;
});

module.exports = {...tasks, givesUp, imported, load, turns, withCallback};
