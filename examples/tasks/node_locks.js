#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0

// Locks of one place, or of PLACES, that somebody wrote for Node.js.
//
// usage: node_locks.js racy|loses|right [PLACES]
//
//   racy   wrong: it looks, lets other jobs come first, and then takes the place that it saw
//   loses  wrong: release hands the place to the first waiter; one whose signal is aborted before its
//          job runs does not hand it on
//   right  the same, and who is aborted hands on what it was given
"use strict";
const {ProtocolError, serve} = require("./lockkeeper_tasks.js");

const [kind, places = "1"] = process.argv.slice(2);
const cancelled = new ProtocolError(14, "cancelled");

class Racy {
    constructor() { this.free = Number(places); }

    async acquire() {
        while (this.free === 0) {
            await new Promise((resolve) => setTimeout(resolve, 10));
        }
        await new Promise((resolve) => setImmediate(resolve)); // as a log would
        this.free -= 1;
    }

    release() { this.free += 1; }
}

class Loses {
    constructor() { Object.assign(this, {free: Number(places), waiters: []}); }

    async acquire(signal) {
        if (this.free > 0) {
            this.free -= 1;
            return;
        }
        const waiter = {served: false};
        this.waiters.push(waiter);
        await new Promise((resolve) => { waiter.resolve = resolve; signal.addEventListener("abort", resolve); });
        await new Promise((resolve) => setImmediate(resolve)); // lets who released go on first
        if (signal.aborted) {
            this.aborted(waiter);
            throw cancelled;
        }
    }

    aborted(waiter) { this.waiters = this.waiters.filter((other) => other !== waiter); }

    release() {
        const waiter = this.waiters.shift();
        if (waiter === undefined) {
            this.free += 1;
        } else {
            waiter.served = true;
            waiter.resolve();
        }
    }
}

class Right extends Loses {
    aborted(waiter) {
        super.aborted(waiter);
        if (waiter.served) {
            this.release();
        }
    }
}

serve({setup: () => new ({racy: Racy, loses: Loses, right: Right})[kind](),
       operations: {acquire: (lock, op) => lock.acquire(op.signal), release: (lock) => lock.release()}});
