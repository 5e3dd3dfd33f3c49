#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0

// A right semaphore of one place for --tasks, whose caller first looks whether callbacks run as Node.js runs them, and
// dies where they do not. keeping_tasks.js WAY
"use strict";
const path = require("path");
const {serve} = require(path.join(__dirname, "..", "..", "..", "examples", "tasks", "lockkeeper_tasks.js"));
const fs = require("fs");
const {AsyncLocalStorage} = require("async_hooks");

const way = process.argv[2];
const storage = new AsyncLocalStorage();
const insist = (isSo, what) => { if (!isSo) throw new Error(what); };
const behind = (begin, look) => new Promise((resolve, reject) => begin(() => {
    try { resolve(look()); } catch (error) { reject(error); }
}));

const looks = {
    "next-tick": () => behind((then) => setTimeout(() => {
        const order = [];
        Promise.resolve().then(() => order.push("job")).then(then);
        process.nextTick(() => order.push("tick"));
        looks.order = order;
    }, 1), () => insist(looks.order.join() === "tick,job", `${looks.order} is no order of Node.js`)),
    "context-of-timer": ({client}) => storage.run(client, async () => {
        for (const set of [setTimeout, setImmediate]) {
            await behind((then) => set(then), () => insist(storage.getStore() === client, "the context is lost"));
        }
    }),
    "context-of-caller": ({client}) => storage.enterWith(client),
    "round-of-immediates": () => {
        let ran = 0;
        setTimeout(() => insist(ran !== 1, "a timer came between two immediates of one round"), 1);
        return behind((then) => { setImmediate(() => { ran = 1; }); setImmediate(() => { ran = 2; then(); }); },
                      () => {});
    },
    "dates": () => insist(typeof Date() === "string" && fs.statSync("/").mtime instanceof Date &&
                          new Date().constructor === Date, "Date is another one"),
    "timeout-error": () => {},
    "interval": () => new Promise((resolve, reject) => {
        let rounds = 0;
        let isOver = false;
        const interval = setInterval(() => {
            rounds += 1;
            if (rounds === 1) return setTimeout(() => { isOver = true; }, 10);
            clearInterval(interval);
            return isOver ? resolve() : reject(new Error("the interval came before a timer that was set earlier"));
        }, 10);
    }),
};

class Semaphore {
    constructor() { Object.assign(this, {free: 1, waiters: []}); }

    async acquire(op) {
        await looks[way](op);
        const signal = way === "timeout-error" ? AbortSignal.timeout(10) : op.signal;
        if (this.free === 0) {
            await new Promise((resolve, reject) => {
                this.waiters.push(resolve);
                signal.addEventListener("abort", () => this.abort(resolve, () => reject(signal.reason)));
            });
            this.free += 1;
        }
        this.free -= 1;
    }

    abort(waiter, reject) {
        if (this.waiters.includes(waiter)) {
            this.waiters = this.waiters.filter((other) => other !== waiter);
            reject();
        }
    }

    release(op) {
        insist(way !== "context-of-caller" || storage.getStore() === op.client, "the caller's context is lost");
        const waiter = this.waiters.shift();
        waiter ? waiter() : this.free += 1;
    }
}

serve({setup: () => new Semaphore(),
       operations: {acquire: (lock, op) => lock.acquire(op), release: (lock, op) => lock.release(op)}});
