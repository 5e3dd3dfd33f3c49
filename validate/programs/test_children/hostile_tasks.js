#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0

// Drivers of --tasks that misbehave, one way each: hostile_tasks.js MODE. All grant everything.
"use strict";
const path = require("path");
const crypto = require("crypto");
const fs = require("fs");
const net = require("net");
const zlib = require("zlib");
const {spawn} = require("child_process");
const {Worker} = require("worker_threads");
const {outside, serve} = require(path.join(__dirname, "..", "..", "..", "examples", "tasks", "lockkeeper_tasks.js"));

const mode = process.argv[2];
const never = () => new Promise(() => {});

const ways = {
    "throws": () => { throw new Error("it cannot be"); },
    "mistake": () => undefined.place,
    "exits": () => process.exit(3),
    "hangs": () => { for (;;) { /* for ever */ } },
    "hangs-in-jobs": () => { const again = () => Promise.resolve().then(again); again(); return never(); },
    "prints": () => { console.log("this is no message"); process.stdout.write("nor this\n"); },
    "rejects-later": () => { Promise.reject(new Error("nobody looks")); },
    "waits": never,
    "throws-later": () => { setImmediate(() => { throw new Error("later"); }); },
    "chance": () => outside("x".repeat(1 + crypto.randomBytes(1)[0] % 64)),
    "immediates-without-end": () => { const again = () => setImmediate(again); again(); },
    "files": () => fs.promises.stat("/"),
    "channels": () => new Promise((resolve) => {
        const {port1, port2} = new MessageChannel();
        port1.onmessage = () => { port1.close(); resolve(); };
        port2.postMessage(1);
    }),
    "sockets": () => new Promise((resolve) => net.createServer().listen(0, resolve)),
    "file-again": () => new Promise((resolve) => fs.readFile(__filename, resolve)),
    "scrypt": () => new Promise((resolve) => crypto.scrypt("a", "b", 64, resolve)),
    "digest": () => crypto.subtle.digest("SHA-256", Buffer.from("a")),
    "gzip": () => new Promise((resolve) => zlib.gzip(Buffer.alloc(1e6), resolve)),
    "wait-async": () => Atomics.waitAsync(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50).value,
    "compiles": () => WebAssembly.compile(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0)),
    "at-once": () => {  // all of these are over when they return
        crypto.scryptSync("a", "b", 64);
        crypto.generateKeyPairSync("ec", {namedCurve: "P-256"});
        zlib.gzipSync(fs.readFileSync(__filename));
        structuredClone({a: crypto.randomBytes(4).length + crypto.randomUUID().length});
        process.once("SIGUSR2", () => {}).removeAllListeners("SIGUSR2");
        console.error("there");
    },
    "intervals-without-end": () => { setInterval(() => {}, 10); },
    "returns-false": () => false,
    "returns-an-object": () => ({connection: 7}),
    "returns-functions": () => ({release: () => {}}),
    "request-before": () => before,
};

// What lives on when serve() is called.
const begunBefore = {
    "worker-before": () => new Worker("setTimeout(() => {}, 1e6)", {eval: true}).unref(),
    "channel-before": () => new MessageChannel(),
    "server-before": () => net.createServer().listen(0),
    "child-before": () => spawn("sleep", ["60"]),
    "request-before": () => new Promise((resolve) => crypto.pbkdf2("a", "b", 50_000, 64, "sha512", resolve)),
};
const before = begunBefore[mode]?.();

async function setup() {
    if (mode === "setup-waits") {
        await never();
    }
    if (mode === "setup-throws") {
        throw new Error("no lock today");
    }
}

if (mode === "file-again") {
    fs.readFile(__filename, () => {}); // also before, and nobody waits for it
}
serve({setup, operations: {acquire: mode === "generator" ? function * () {} : () => ways[mode]?.(), release: () => {}}});
