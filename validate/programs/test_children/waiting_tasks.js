#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0

// A wrong lock of one place for --tasks: it looks, waits in one of the ways that Node.js has, and then takes the
// place that it saw. waiting_tasks.js WAY, or "WAY right": without the wait. The way "two-timers": right until a
// second timer of the same moment fires before the immediate of the first.
"use strict";
const path = require("path");
const {serve} = require(path.join(__dirname, "..", "..", "..", "examples", "tasks", "lockkeeper_tasks.js"));
const {promisify} = require("util");
const promises = require("timers/promises");

const ways = {
    "promisify-timeout": () => promisify(setTimeout)(10),
    "promisify-immediate": () => promisify(setImmediate)(),
    "promised-timeout": () => promises.setTimeout(10),
    "promised-immediate": () => promises.setImmediate(),
    "promised-interval": async () => { for await (const _ of promises.setInterval(10)) return; },
    "scheduler-wait": () => promises.scheduler.wait(10),
    "scheduler-yield": () => promises.scheduler.yield(),
    "imported-timeout": async () => (await imported).setTimeout(10),
    "signal": () => new Promise((resolve) => AbortSignal.timeout(10).addEventListener("abort", resolve)),
};
const imported = import("timers/promises");
const [way, isRight] = process.argv.slice(2);

const sleep = () => new Promise((resolve) => setTimeout(resolve, 10));

class Lock {
    constructor() { this.free = 1; }

    async acquire() {
        if (way === "two-timers") {
            return this.acquireByTwoTimers();
        }
        while (this.free === 0) {
            await sleep();
        }
        if (!isRight) {
            await ways[way]();
        }
        this.free -= 1;
    }

    async acquireByTwoTimers() {
        await sleep();
        const isSecond = this.isBusy;
        this.isBusy = true;
        await ways["promised-immediate"]();
        this.isBusy = false;
        while (this.free === 0 && !isSecond) {
            await sleep();
        }
        this.free = 0;
    }

    release() { this.free += 1; }
}

imported.then(() => serve({setup: () => new Lock(),
                           operations: {acquire: (lock) => lock.acquire(), release: (lock) => lock.release()}}));
