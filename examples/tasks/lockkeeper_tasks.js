// SPDX-License-Identifier: Apache-2.0

// An event loop whose choices Lockkeeper makes, for `lockkeeper validate --tasks`: unmodified code
// for Node.js, with callers that are asynchronous functions of one process. To be copied into a
// project, beside lockkeeper_loop.js and lockkeeper_client.js of examples/outside.
//
//   const {serve} = require("./lockkeeper_tasks.js");
//   serve({setup: (key) => makeLock(), operations: {
//       acquire: async (lock, op) => { op.mine.release = await lock.acquire(); },
//       release: (lock, op) => op.mine.release()}});
//
// Require this file before the code under test: it replaces timers, immediates and the clocks.
// setup(key) makes the lock, in each run anew, and may be async. `op` is the message's body, op.client the caller,
// op.mine an object that the caller keeps, op.signal an AbortSignal that is aborted where Lockkeeper cancels the
// call. What the operation returns is the answer, as in lockkeeper_client.js. A call that rejects because of its
// signal, with timedOut or with a TimeoutError did not happen.
//
// What Node.js promises is kept: process.nextTick and the jobs of promises run before anything else, in their order;
// immediates run in the order in which they were set, a round of them at once; of timers those that are due earlier, and of one length those
// that were set earlier. What is not promised is chosen: which of these comes next, when a caller begins its next
// call, when a stand-in for a connection answers (`outside`), and when a signal is aborted. With --promises any, any
// immediate and any timer may come next.
//
// There are no sockets, no files that are waited for, and no real time: `outside` stands for what takes time. Tried
// with Node.js 18, 20, 22 and 24.
"use strict";
const fs = require("fs");
const path = require("path");
const {AsyncResource, createHook} = require("async_hooks");
const {webcrypto} = require("crypto");
const {inspect} = require("util");
const near = (name) => fs.existsSync(path.join(__dirname, name)) ? path.join(__dirname, name)
    : path.join(__dirname, "..", "outside", name);
const {ProtocolError, notHeld, refused} = require(near("lockkeeper_client.js"));
const {fire, forget, immediateChoices, inTurn, isInRound, loop, real, run, timerChoices} = require("./lockkeeper_loop.js");

const timedOut = new ProtocolError(14, "timed out");
const state = {keys: [], operations: {}, setup: null, parameters: {}, count: 0};

// Of a run.
function forgetAll() {
    forget();
    Object.assign(state, {waiting: new Map(), callers: new Map(), locks: new Map(), lines: []});
}
forgetAll();

// What takes time outside. `fails`: what it rejects with where Lockkeeper chooses that it fails.
function outside(name, fails) {
    return new Promise((resolve, reject) => {
        state.waiting.set(++loop.number % 65_000, {name, fails, resolve, reject});
    });
}

// Messages.

const write = (dest, body) => state.lines.push(JSON.stringify({src: "n1", dest, body}) + "\n");

// Its result, once the pipe is ready.
function insist(call) {
    for (;;) {
        try { return call(); } catch (error) { if (error.code !== "EAGAIN") throw error; }
    }
}

function flush() {
    const bytes = Buffer.from(state.lines.join(""));
    state.lines = [];
    for (let done = 0; done < bytes.length;) done += insist(() => fs.writeSync(1, bytes, done));
}

let rest = Buffer.alloc(0);
const piece = Buffer.alloc(65536);
let unread = null; // a message that came while jobs had yet to run
function read() {
    const message = unread;
    unread = null;
    while (message === null) {
        const end = rest.indexOf(10);
        if (end >= 0) {
            const line = rest.subarray(0, end).toString();
            rest = rest.subarray(end + 1);
            return JSON.parse(line);
        }
        const bytes = insist(() => fs.readSync(0, piece, 0, piece.length));
        if (bytes === 0) process.exit(0);
        rest = Buffer.concat([rest, piece.subarray(0, bytes)]);
    }
    return message;
}

const cut = (name, length = 200) => name.replace(/[^ -~]/g, "?").slice(0, length) || "?";
function choices() {
    const out = immediateChoices();
    if (isInRound()) return out;
    for (const [id, {name, fails}] of state.waiting) {
        out.push({do: "arrive", id, name: name + ": arrives"});
        if (fails !== undefined) out.push({do: "fail", id, name: name + ": fails"});
    }
    out.push(...timerChoices());
    for (const [client, {op, abort}] of state.callers) {
        if (op !== null && !abort.signal.aborted) out.push({do: "cancel", client});
    }
    return out.map((choice) => choice.name === undefined ? choice : {...choice, name: cut(choice.name)});
}

function sayChoices(of, more = {}) {
    state.count += 1;
    write("harness", {type: "choices", msg_id: state.count, of, ...more, time: loop.now});
    flush();
}

function take({do: what, id, client}) {
    if (what === "cancel") {
        state.callers.get(client).abort.abort();
    } else if (what === "run") {
        run(id);
    } else if (what === "timer") {
        fire(id);
    } else {
        const {fails, resolve, reject} = state.waiting.get(id);
        state.waiting.delete(id);
        (what === "fail" ? reject(fails) : resolve());
    }
}

// Callers.

function ended(client, op, error, answer) {
    write(client, error === null ? {type: op.type + "_ok", in_reply_to: op.msg_id, ...answer}
        : {type: "error", in_reply_to: op.msg_id, code: error.code, text: error.message});
}

function errorOf(error, caller) {
    if (error instanceof ProtocolError) return error;
    if (caller.abort.signal.aborted) return new ProtocolError(14, "cancelled");
    return [error, error?.cause].some((each) => each?.name === "TimeoutError") ? timedOut : fail(error);
}

// The end of a call: the caller may begin its next one at once, before other jobs of promises.
function askAtOnce(client) {
    if (unread !== null) return null;
    sayChoices([{do: "run", id: 0, name: "the jobs of promises go on"}], {begin: [], at_once: [client]});
    const message = read();
    if (message.body.at_once) return message;
    unread = message.body.type === "choices_ok" ? null : message; // the run is over
    return null;
}

// What looks like a refusal, or like a call that nobody made, would count as granted.
function checked(kind, answer) {
    const isUnused = /Generator\]$/.test(Object.prototype.toString.call(answer));
    if (isUnused) return noAnswer(kind, "a generator", "nobody runs it");
    if (kind !== "release" && answer === false) return noAnswer(kind, "false", "a refusal is `throw refused`");
    if (typeof answer !== "object" || answer === null || Object.getPrototypeOf(answer) !== Object.prototype) return {};
    const entries = Object.entries(answer);
    return entries.every(isOfAnswer) ? Object.fromEntries(entries.filter(([, value]) => typeof value !== "function"))
        : noAnswer(kind, cut(inspect(answer, {breakLength: Infinity}), 60),
                   "an answer has whole numbers `until`, `token` and `count`, or `done`; if this is none, return nothing");
}

// Functions are left out, as those of an object that releases a lock.
const isOfAnswer = ([key, value]) => ["function", "undefined", "symbol"].includes(typeof value) ||
    (key === "done" ? typeof value === "boolean" : /^(until|token|count)$/.test(key) && Number.isSafeInteger(value));

function noAnswer(kind, what, why) {
    const stack = `${kind} returned ${what}, which is no answer: ${why}`;
    return fail(Object.assign(new TypeError(stack), {stack}));
}

async function live(client, first) {
    const caller = state.callers.get(client);
    for (let next = {body: first}; next !== null; next = askAtOnce(client)) {
        const op = next.body;
        caller.op = op;
        caller.abort = new AbortController();
        let error = null;
        let answer = {};
        try {
            const given = {...op, client, mine: caller.mine, signal: caller.abort.signal};
            answer = checked(op.type, await state.operations[op.type](state.locks.get(op.key), given));
        } catch (thrown) {
            error = errorOf(thrown, caller);
            answer = op.type === "release" && error.code === 14 ? {done: true} : {};
            error = op.type === "release" && error.code === 14 ? null : error;
        }
        caller.op = null;
        caller.context = new AsyncResource("caller"); // what the call has entered goes on with its caller
        ended(client, op, error, answer);
    }
}

function begin(client, op) {
    state.callers.has(client) || state.callers.set(client, {op: null, abort: null, mine: {},
                                                            context: new AsyncResource("caller")});
    state.callers.get(client).context.runInAsyncScope(live, null, client, op).catch(fail);
}

// The driver, or the code under test, has thrown what is no answer: the program ends.
const isMistake = (error) => error instanceof TypeError || error instanceof ReferenceError ||
    error instanceof SyntaxError || error instanceof RangeError || error?.code === "MODULE_NOT_FOUND";
function fail(error) {
    fs.writeSync(2, (error?.stack ?? String(error)) + "\n");
    if (isMistake(error)) {
        const where = /\(?([^()\s]+:\d+):\d+\)?$/m.exec(
            String(error.stack).split("\n").filter((line) => !line.includes(__filename)).slice(1).join("\n"));
        state.lines = [];
        write("harness", {type: "failed", text: cut(`${error.name}: ${error.message}`),
                          where: (where?.[1] ?? "the driver").slice(-250)});
        flush();
    }
    process.exit(1);
}

// What ends by real time is no choice, and would come at any moment. What was begun before `init` may not live on.
const harmless = /^(PROMISE|TickObject|Timeout|Immediate|Microtask|SIGNALWRAP|DNSCHANNEL|DIRHANDLE)$/;
const lives = /^(WORKER|MESSAGEPORT|PROCESSWRAP|TCPWRAP|TCPSERVERWRAP|UDPWRAP|PIPESERVERWRAP|FSEVENTWRAP|STATWATCHER)$/;
structuredClone(0); // Node.js 18 opens a channel for it once
let begun = [];
const early = new Map(); // by number
const earlyHook = createHook({init: (id, type, trigger, resource) => { early.set(id, {type, resource}); },
                              after: (id) => { early.delete(id); }, destroy: (id) => { early.delete(id); }}).enable();
const hook = createHook({init(id, type, trigger, resource) {
    if (!harmless.test(type) && !(resource instanceof AsyncResource)) begun.push({type, resource});
}});

// Not what was over when it returned, as zlib.gzipSync, nor what is written to stderr.
function isReal({type, resource}) {
    if (type.endsWith("REQUEST")) return resource.ondone !== undefined;
    if (type === "ZLIB") return Boolean(resource.buffer);
    return type !== "WRITEWRAP" || resource.handle !== process.stderr._handle;
}

function refuse(kind) {
    const stack = `there are no sockets, files and threads here (${kind}): give the code under test a stand-in ` +
        "that awaits outside(...)";
    fail(Object.assign(new TypeError(stack), {stack}));
}

// Requests end by themselves, and have five seconds for it.
async function watchForReal() {
    const isAsked = (each) => /REQ/.test(each.type) && isReal(each);
    const living = (isSuch) => [...early.values()].find(isSuch)?.type;
    for (let left = 500; living(isAsked) && left > 0; --left) await new Promise((go) => real.setTimeout(go, 10));
    const first = living((each) => isAsked(each) || lives.test(each.type));
    if (first) refuse(`${first}, begun before serve()`);
    earlyHook.disable();
    void process.stderr; // is made when somebody asks for it first
    const subtle = Object.getPrototypeOf(webcrypto.subtle);
    const ofSubtle = Object.keys(subtle).filter((name) => typeof subtle[name] === "function");
    for (const [of, name] of [[Atomics, "waitAsync"], [WebAssembly, "compile"], [WebAssembly, "instantiate"],
                              ...ofSubtle.map((each) => [subtle, each])]) {
        of[name] &&= () => refuse(name); // no hook is told of these, nor of how those of `subtle` end
    }
    hook.enable();
}

// After a callback: once all jobs of promises have run.
async function settled() {
    await new Promise((resolve) => real.setImmediate(resolve));
    const found = begun.find(isReal);
    begun = begun.filter(({type}) => type === "ZLIB"); // it may be told to compress in a later step
    return found && refuse(found.type);
}

async function reset(body) {
    forgetAll();
    for (const key of state.keys) {
        let lock;
        let done = false;
        Promise.resolve(state.setup(key)).then((made) => { lock = made; done = true; }).catch(fail);
        for (await settled(); !done; await settled()) {
            const [first] = choices();
            if (first === undefined) fail(new Error("setup waits for ever"));
            await inTurn(() => take(first));
        }
        state.locks.set(key, lock);
    }
    write("harness", {type: "reset_ok", in_reply_to: body.msg_id});
}

async function handle(src, body) {
    if (body.type === "init") {
        if (body.level !== "tasks") {
            write("harness", {type: "error", in_reply_to: body.msg_id, code: 10,
                              text: "this driver is for --tasks"});
            return flush();
        }
        await watchForReal();
        loop.strict = body.promises !== "any";
        state.keys = body.keys;
        Object.assign(state.parameters, body.parameters);
        write("harness", {type: "init_ok", in_reply_to: body.msg_id, tasks: 1});
        return flush();
    }
    if (body.type === "reset") {
        await reset(body);
    } else if (body.type === "choices_ok") {
        await inTurn(() => take(body));
    } else if (body.type in state.operations) {
        await inTurn(() => begin(src, body));
    } else {
        write(src, {type: "error", in_reply_to: body.msg_id, code: 10, text: body.type});
    }
    await settled();
    if (unread !== null) return undefined;
    return sayChoices(choices(), isInRound() ? {begin: []} : {});
}

// Until stdin ends. `parameters`: an object that gets the scenario's numbers.
async function serve({setup, operations, parameters = {}}) {
    Object.assign(state, {setup, operations, parameters});
    process.stdout.write = (...args) => process.stderr.write(...args); // stdout is for messages
    process.on("uncaughtException", fail);
    process.on("unhandledRejection", (error) => {
        fs.writeSync(2, "unhandled rejection: " + (error?.stack ?? error) + "\n");
    });
    for (;;) {
        const {src, body} = read();
        await handle(src, body).catch(fail);
    }
}

module.exports = {ProtocolError, notHeld, outside, refused, serve, timedOut};
