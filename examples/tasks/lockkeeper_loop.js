// SPDX-License-Identifier: Apache-2.0

// The event loop of lockkeeper_tasks.js: timers, immediates, clocks and chance. No driver requires it itself.
//
// Its clock stands until a timer fires. A callback runs as Node.js runs it: in the asynchronous context in which it was
// given, and with the queue of process.nextTick before the jobs of promises.
"use strict";
const {AsyncResource} = require("async_hooks");
const {promisify} = require("util");

const beginning = 1_700_000_000_000; // of the clock, in milliseconds
const real = {setImmediate, setTimeout};
const loop = {strict: true};

// Of a run.
function forget() {
    Object.assign(loop, {now: 0, number: 0, random: 1, timers: new Map(), immediates: new Map(),
                         roundEnds: 0}); // the number of the last immediate of the round that has begun
}
forget();

class Handle extends AsyncResource {
    ref() { return this; }
    unref() { return this; }
    hasRef() { return true; }
    fire() { this.runInAsyncScope(this.callback, this, ...this.args); }
}

class Timer extends Handle {
    constructor(callback, delay, args, repeats) {
        super("Timeout");
        const length = Number(delay) >= 1 && Number(delay) <= 2147483647 ? Math.trunc(delay) : 1;
        Object.assign(this, {callback, length, args, repeats});
        this.start();
    }

    start() {
        this.number = ++loop.number;
        this.when = loop.now + this.length;
        loop.timers.set(this.number, this);
    }

    stop() { loop.timers.delete(this.number); }
    close() { this.stop(); return this; }
    refresh() { this.stop(); this.start(); return this; }
    [Symbol.toPrimitive]() { return this.number; }
    [Symbol.dispose ?? "dispose"]() { this.stop(); }
}

class Immediate extends Handle {
    constructor(callback, args) {
        super("Immediate");
        Object.assign(this, {callback, args, number: ++loop.number});
        loop.immediates.set(this.number, this);
    }
}

const stop = (timer) => (typeof timer === "object" ? timer : loop.timers.get(Number(timer)))?.stop?.();
const timers = {
    setTimeout: (callback, delay, ...args) => new Timer(callback, delay, args, false),
    setInterval: (callback, delay, ...args) => new Timer(callback, delay, args, true),
    setImmediate: (callback, ...args) => new Immediate(callback, args),
    clearTimeout: stop,
    clearInterval: stop,
    clearImmediate: (immediate) => { loop.immediates.delete(immediate?.number); },
};
const asPromised = (begin, end) => (...args) => new Promise((resolve, reject) => {
    const {signal} = args[begin] ?? {};
    const timer = timers[begin === 2 ? "setTimeout" : "setImmediate"](
        () => resolve(args[begin - 1]), ...(begin === 2 ? [args[0]] : []));
    const abort = () => {
        end(timer);
        reject(Object.assign(new Error("The operation was aborted", {cause: signal.reason}),
                             {name: "AbortError", code: "ABORT_ERR"}));
    };
    signal?.aborted ? abort() : signal?.addEventListener("abort", abort, {once: true});
});
const promised = {
    setTimeout: timers.setTimeout[promisify.custom] = asPromised(2, stop),
    setImmediate: timers.setImmediate[promisify.custom] = asPromised(1, timers.clearImmediate),
    async * setInterval(...args) { for (;;) yield await promised.setTimeout(...args); },
    scheduler: {wait: (delay, options) => promised.setTimeout(delay, undefined, options),
                yield: () => promised.setImmediate()},
};
AbortSignal.timeout = (delay) => {
    const controller = new AbortController();
    const reason = new DOMException("The operation was aborted due to timeout", "TimeoutError");
    timers.setTimeout(() => controller.abort(reason), delay);
    return controller.signal;
};
Object.assign(globalThis, timers);
Object.assign(require("timers"), timers);
Object.assign(require("timers/promises"), promised);
require("module").syncBuiltinESMExports(); // also for those that import them by name

// Clocks and chance.

const RealDate = Date;
RealDate.now = () => beginning + loop.now;
globalThis.Date = new Proxy(RealDate, {
    apply: () => new Date().toString(),
    construct: (target, args, made) => Reflect.construct(target, args.length > 0 ? args : [Date.now()], made),
});
RealDate.prototype.constructor = Date;
const {performance} = require("perf_hooks");
Object.defineProperty(performance, "now", {value: () => loop.now, configurable: true, enumerable: true,
                                                  writable: true}); // Node.js 18 lets nobody assign it
process.hrtime = (before = [0, 0]) => {
    const milliseconds = loop.now - before[0] * 1000 - before[1] / 1e6;
    return [Math.floor(milliseconds / 1000), (milliseconds % 1000) * 1e6];
};
process.hrtime.bigint = () => BigInt(loop.now) * 1_000_000n;
process.uptime = () => loop.now / 1000;
Math.random = () => (loop.random = (loop.random * 48271) % 2147483647) / 2147483647;

// What may happen next.

const nameOf = (callback) => callback?.name || "a function without a name";

function dueTimers() {
    const all = [...loop.timers.values()];
    const first = Math.min(...all.map((timer) => timer.when));
    const due = all.filter((timer) => timer.when === first);
    return loop.strict ? due.filter((timer) => !due.some((other) =>
        other.length === timer.length && other.number < timer.number)) : all;
}

const readyImmediates = () => [...loop.immediates.values()].slice(0, loop.strict ? 1 : undefined);

// Those that were set when the first one ran follow it before anything else.
const isInRound = () => loop.strict && readyImmediates().some(({number}) => number <= loop.roundEnds);

const immediateChoices = () => readyImmediates().map(({callback}, id) =>
    ({do: "run", id, name: "immediate: " + nameOf(callback)}));
const timerChoices = () => dueTimers().map(({callback, length, when}, id) =>
    ({do: "timer", id, due: when <= loop.now, name: `timer of ${length} ms: ${nameOf(callback)}`}));

function run(id) {
    const immediate = readyImmediates()[id];
    if (!isInRound()) loop.roundEnds = loop.number;
    loop.immediates.delete(immediate.number);
    immediate.fire();
}

function fire(id) {
    const timer = dueTimers()[id];
    if (!timer.repeats) timer.stop();
    loop.now = Math.max(loop.now, timer.when);
    try {
        timer.fire();
    } finally { // an interval starts again behind the timers that its callback has set
        if (timer.repeats && loop.timers.has(timer.number)) timer.refresh();
    }
}

// Does it as an event does, and not as a job of a promise.
const inTurn = (act) => new Promise((resolve) => real.setImmediate(() => { resolve(); act(); }));

module.exports = {fire, forget, immediateChoices, inTurn, isInRound, loop, real, run, timerChoices};
