// SPDX-License-Identifier: Apache-2.0

// The program's side of Lockkeeper's protocol (docs/reference/protocol.md), to be copied into a
// project.
//
// serve({operations: {acquire, release, renew}}) runs the operations, each an async function
// (lock, op): `op` is the message's body and op.client the caller; the object that it returns is
// the answer, `throw refused` says full, `throw notHeld` not (any more) the caller's. `lock` asks
// before each access. At the stepped level the harness owns what is stored, and decides whose turn
// it is; at the black-box level this file keeps it, in data_dir if `durable`. Several questions may
// be open at once: `await Promise.all([lock.read("a"), lock.read("b")])`.
//
// Blocking code: serve({blocking: "/path/to/module.js"}), whose exports are plain functions
// (lock, op) that call lock.read(key) without await. Each caller has a worker thread of its own.
// JavaScript shares no objects between threads: blocking operations share what `lock` keeps, files
// and servers, and nothing else.
//
// A ProtocolError, as refused and notHeld are, is an answer of the lock. What the language itself
// throws for a wrong script, as a TypeError, ends the command without a verdict. What is thrown on
// purpose, as an Error, ends the program, which counts against the lock
// (docs/reference/program_rules.md).
//
// Hooks: onStart(init), with `data_dir`, `callers` and `restarts` of the message `init`; onReset(),
// before each run at the stepped level; onCrash(client). Each may be async.
"use strict";
const fs = require("fs");
const path = require("path");
const readline = require("readline");
const util = require("util");
const workers = require("worker_threads");
class ProtocolError extends Error {
    constructor(code, text = "") {
        super(text);
        this.code = code;
    }
}
const refused = new ProtocolError(1000, "full");
const notHeld = new ProtocolError(22, "not held");

const same = (left, right) => JSON.stringify(left) === JSON.stringify(right); // as JSON

// What an operation may ask. `absent`: errors that are the result null. `result`: of the value, or
// of the whole answer.
const ifStored = (old) => old.length > 0 ? {from: old[0]} : {};
const questions = {
    read: (key) => ({type: "read", body: {key}, absent: [20]}),
    // With {ttl: n} it vanishes n ticks later.
    write: (key, value, time = {}) => ({type: "write", body: {key, value, ...time}}),
    insertNew: (key, value, time = {}) => ({type: "insert_new", body: {key, value, ...time}, absent: [21]}),
    // With `old` only where that is stored; null: it was not.
    delete: (key, ...old) => ({type: "delete", body: {key, ...ifStored(old)}, absent: [20, 22]}),
    // What is stored vanishes `ttl` ticks from now.
    expire: (key, ttl, ...old) => ({type: "expire", body: {key, ttl, ...ifStored(old)}, absent: [20, 22]}),
    updateCounter: (key, add, limits = {}) =>
        ({type: "update_counter", body: {key, add, ...limits}, absent: [20]}),
    // True when `old` (null: absent) was replaced by `new`.
    cas: (key, old, to) => ({type: "cas", absent: [20, 22], result: (value) => value !== null,
                             body: {key, from: old, to, create_if_not_exists: old === null}}),
    // While `value` is stored (null: nothing is): then what is stored instead.
    waitWhile: (key, value) => ({type: "await", body: {key, value}}),
    now: (what) => ({type: "now", body: what === undefined ? {} : {what}}),
    access: (what) => ({type: "access", body: {what}}),
    send: (to, message) => ({type: "send", body: {to, message}}),
    receive: (mailbox) => ({type: "receive", body: {mailbox}, result: (_, answer) => answer.message}),
    monitor: (client, mailbox, message) => ({type: "monitor", body: {client, mailbox, message}}),
};

function outcome({absent = [], result = (value) => value}, answer) {
    if (answer.type !== "error") return result(answer.value === undefined ? true : answer.value, answer);
    if (absent.includes(answer.code)) return result(null, answer);
    throw new ProtocolError(answer.code, answer.text);
}

// What an atomic step sees, and leaves, under each of its keys; null: nothing is stored. Gives what
// the function returned, or the ProtocolError that it threw, and the steps of the commit.
let isInAtomic = false;
function runAtomic(keys, {values, now}, change) {
    const before = Object.assign(Object.create(null), ...keys.map((key) => ({[key]: null})), values);
    const after = Object.assign(Object.create(null), JSON.parse(JSON.stringify(before))), ends = {};
    const known = (key) => {
        if (typeof key === "string" && key !== "toJSON" && !(key in before)) {
            throw new TypeError(`"${key}" is no key of this atomic step`);
        }
    };
    const state = new Proxy(after, {get: (_, key) => { known(key); return after[key]; },
                                    set: (_, key, value) => { known(key); after[key] = value; return true; }});
    const expire = (key, ttl) => { known(key); ends[key] = {ttl}; };
    isInAtomic = true;
    let result;
    try {
        result = change(state, {now, expire});
    } catch (error) {
        if (!(error instanceof ProtocolError)) throw error;
        return {error, steps: []};
    } finally {
        isInAtomic = false;
    }
    if (util.types.isPromise(result)) throw new TypeError("the function of an atomic step awaits nothing: not async");
    const steps = keys.flatMap((key) => {
        const value = after[key] === undefined ? null : after[key];
        if (same(before[key], value)) return key in ends ? [{type: "expire", key, ...ends[key]}] : [];
        return [value === null ? {type: "delete", key} : {type: "write", key, value, ...ends[key]}];
    });
    JSON.stringify(steps); // what cannot be written fails here
    return {result, steps};
}

// The question as it is asked. What is undefined would not be written.
function checked({type, body}, label) {
    if (isInAtomic) throw new TypeError(`lock asks "${type}" inside of an atomic step, which has only its state`);
    for (const name of ["key", "value", "from", "to", "add", "message"]) {
        if (name in body && body[name] === undefined) throw new TypeError(`${type}: "${name}" is undefined`);
    }
    JSON.stringify(body);
    return {type, body: {...body, ...label}};
}

// The methods of `questions`, and those that need several. `ask` gives the answer, or a promise.
function makeLock(ask, isBlocking, label = {}) {
    const lock = {};
    for (const [name, describe] of Object.entries(questions)) {
        lock[name] = isBlocking ?
            (...given) => {
                const question = describe(...given);
                return outcome(question, ask(checked(question, label)));
            } :
            async (...given) => {
                const question = describe(...given);
                return outcome(question, await ask(checked(question, label)));
            };
    }
    // The same; in reports its steps have this name: lock.named("is it free?").read("db").
    lock.named = (name) => {
        if (typeof name !== "string" || name === "" || Buffer.byteLength(name) > 256) {
            throw new TypeError("the name of a step is no text of 1 to 256 bytes");
        }
        return makeLock(ask, isBlocking, {name});
    };
    // One step: change(state, {now, expire}) reads and changes what is stored under the keys. Gives
    // what it returns. A ProtocolError that it throws undoes its changes. `now` is there with
    // {clock: true}; expire(key, ttl): what the step leaves there vanishes `ttl` ticks later.
    const seen = (keys, time) => ask(checked({type: "atomic", body: {keys, ...time}}, label));
    const leave = (keys, change, values) => {
        const {result, error, steps} = runAtomic(keys, values, change);
        ask({type: "commit", body: {steps, more: true}}); // nobody answers
        if (error) throw error;
        return result;
    };
    lock.atomic = isBlocking ?
        (keys, change, time = {}) => leave(keys, change, seen(keys, time)) :
        async (keys, change, time = {}) => leave(keys, change, await seen(keys, time));
    // Looks at what is stored, and again when that has changed, until condition(value).
    lock.waitUntil = isBlocking ?
        (key, condition) => {
            let value = lock.read(key);
            while (!condition(value)) value = lock.waitWhile(key, value);
            return value;
        } :
        async (key, condition) => {
            let value = await lock.read(key);
            while (!condition(value)) value = await lock.waitWhile(key, value);
            return value;
        };
    return lock;
}

// What the program says. At the stepped level the lines of one turn go out together, when nothing
// can go on without an answer; each but the last says that more follow.
const out = {lines: [], isDue: false, stepped: true};
function write(dest, body) {
    out.lines.push({src: "n1", dest, body});
    endTurn();
}
// `op`: an operation that may have nothing new to say, because it waits for other questions of its own.
function endTurn(op) {
    if (out.isDue) return;
    out.isDue = out.stepped;
    const flush = () => {
        out.isDue = false;
        if (out.lines.every(({body}) => body.type === "commit") && open.get(op) > 0) {
            out.lines.push({src: "n1", dest: "harness", body: {type: "wait", op}});
        }
        if (out.stepped) out.lines.slice(0, -1).forEach(({body}) => { body.more = true; });
        const text = out.lines.map((line) => JSON.stringify(line) + "\n").join("");
        out.lines = [];
        if (text) fs.writeSync(1, text);
    };
    if (out.stepped) setImmediate(flush);
    else flush();
}

// Asks the harness, which answers when it is this operation's turn.
const asked = new Map(); // by msg_id
const open = new Map();  // by operation: how many
let count = 0;
const askHarness = (op) => ({type, body}) => new Promise((resolve) => {
    if (type === "commit") { // belongs to the step before
        write("harness", {type, op, ...body});
        return;
    }
    asked.set(++count, {resolve, op});
    open.set(op, (open.get(op) || 0) + 1);
    write("harness", {type, msg_id: count, op, ...body});
});
function answered(body) {
    const {resolve, op} = asked.get(body.in_reply_to);
    asked.delete(body.in_reply_to);
    open.set(op, open.get(op) - 1);
    resolve(body);
    endTurn(op);
}

// Keeps the store here. Before each access others may run, as they would between two steps.
const local = {store: {}, ends: {}, path: null, isShown: false}; // isShown: an atomic step sees it
function removeOld(now) {
    const {store, ends} = local;
    for (const gone of Object.keys(ends).filter((name) => ends[name] <= now)) {
        delete store[gone];
        delete ends[gone];
    }
}
function accessStore(type, body) {
    const {store, ends} = local, {key} = body, now = Number(process.hrtime.bigint() / 1000000n);
    removeOld(now);
    const known = key in store;
    if (type === "now") return {value: now};
    if (type === "await") return {value: known ? store[key] : null};
    if (type === "atomic") {
        const found = body.keys.filter((name) => name in store).map((name) => ({[name]: store[name]}));
        local.isShown = true;
        return {values: Object.assign({}, ...found), now};
    }
    if (type === "access" || type === "monitor") return {};
    if (type === "send" || type === "receive") throw new ProtocolError(10, "no messages here");
    if (type === "insert_new" && known) throw new ProtocolError(21);
    if (!known && !["write", "insert_new"].includes(type) && !body.create_if_not_exists) {
        throw new ProtocolError(20);
    }
    if (type === "read") return {value: store[key]};
    if (known && "from" in body && !same(store[key], body.from)) throw new ProtocolError(22);
    if (["write", "insert_new", "cas", "delete"].includes(type)) delete ends[key];
    if (body.ttl !== undefined) ends[key] = now + body.ttl;
    if (type === "expire") {
        // its value stays
    } else if (type === "delete") {
        delete store[key];
    } else if (type === "update_counter") {
        const {least = -Infinity, most = Infinity} = body;
        store[key] = Math.min(Math.max((store[key] || 0) + body.add, least), most);
    } else {
        store[key] = type === "cas" ? body.to : body.value;
    }
    if (local.path) { // written beside and renamed: a crash leaves the old one or the new one
        fs.writeFileSync(local.path + ".new", JSON.stringify([store, ends]));
        fs.renameSync(local.path + ".new", local.path);
    }
    return {value: store[key]};
}
async function askStore({type, body}) {
    if (type === "commit") {
        for (const {type: kind, ...step} of body.steps) {
            if (kind === "write" || step.key in local.store) accessStore(kind, step);
        }
        local.isShown = false;
        return {};
    }
    await new Promise(setImmediate);
    while (local.isShown || type === "await" && same(accessStore(type, body).value, body.value)) {
        await new Promise((goOn) => setTimeout(goOn, 1));
    }
    try {
        return {type: type + "_ok", ...accessStore(type, body)};
    } catch (error) {
        if (!(error instanceof ProtocolError)) throw error;
        return {type: "error", code: error.code, text: error.message};
    }
}

// The body of an answer.
function answerOf(type, error, answer) {
    if (!error) return {type: type + "_ok", ...answer};
    if (!(error instanceof ProtocolError)) throw error;
    return {type: "error", code: error.code, text: error.message};
}

async function operate(handler, ask, {src, body}) {
    let error = null, answer = {};
    try {
        answer = await handler(makeLock(ask, false), {...body, client: src});
        JSON.stringify(answer); // what cannot be written fails here
    } catch (thrown) {
        if (!(thrown instanceof ProtocolError)) fail(thrown, `${body.type} of ${src}`);
        error = thrown;
    }
    write(src, {in_reply_to: body.msg_id, ...answerOf(body.type, error, answer)});
}

// Threads for blocking code, one for each caller, which waits for each answer where it stands.
class Thread {
    constructor(file) {
        this.signal = new Int32Array(new SharedArrayBuffer(4));
        const {port1, port2} = new workers.MessageChannel();
        this.port = port1;
        this.port.on("message", (message) => this.heard(message));
        this.busy = null;
        this.worker = new workers.Worker(__filename, {
            argv: process.argv.slice(2), workerData: {lockkeeper: {file, port: port2, signal: this.signal}}, transferList: [port2]});
        this.worker.on("error", (error) => { throw error; });
    }
    say(message) {
        this.port.postMessage(message);
        Atomics.store(this.signal, 0, 1);
        Atomics.notify(this.signal, 0);
    }
    run(ask, message) {
        this.busy = {ask, message};
        this.say({operation: message});
    }
    async heard({question, answer}) {
        const {ask, message} = this.busy;
        if (question && question.type === "commit") {
            ask(question);
        } else if (question) {
            this.say({answer: await ask(question)});
        } else {
            this.busy = null;
            write(message.src, answer);
        }
    }
    end() {
        this.port.close();
        this.worker.terminate();
    }
}

function runThread({file, port, signal}) {
    let operations = require(file);
    const next = () => {
        for (;;) {
            const received = workers.receiveMessageOnPort(port);
            if (received) return received.message;
            Atomics.wait(signal, 0, 0);
            Atomics.store(signal, 0, 0);
        }
    };
    const lock = makeLock(({type, body}) => {
        port.postMessage({question: {type, body}});
        return type === "commit" ? {} : next().answer;
    }, true);
    for (;;) {
        const {reset, operation} = next();
        if (reset) { // the modules of before are forgotten, with all that they kept
            Object.keys(require.cache).forEach((name) => { if (name !== __filename) delete require.cache[name]; });
            operations = require(file);
            continue;
        }
        const {src, body} = operation;
        let error = null, answer = {};
        try {
            if (!operations[body.type]) throw new ProtocolError(10, body.type);
            answer = operations[body.type](lock, {...body, client: src});
        } catch (thrown) {
            error = thrown;
        }
        port.postMessage({answer: {in_reply_to: body.msg_id, ...answerOf(body.type, error, answer)}});
    }
}

// What the language throws for a wrong script.
const MISTAKES = ["TypeError", "ReferenceError", "SyntaxError", "RangeError", "EvalError", "URIError",
                  "DataCloneError"];
const isMistake = (error) => error instanceof Error &&
    (MISTAKES.includes(error.name) || error.code === "MODULE_NOT_FOUND");

// The program's own code has thrown what is no answer: it ends. If that is a mistake, it says what
// and where: the newest call that is neither in these files nor in Node, or else the operation.
function fail(error, operation = "") {
    const stack = String(error && error.stack || "").split("\n");
    fs.writeSync(2, (error && error.stack || util.inspect(error)) + "\n");
    if (isMistake(error)) {
        const calls = stack.map((line) => /^\s+at (?:(?:async )?(.*) \()?(?:async )?(.+):(\d+):\d+\)?$/.exec(line));
        const own = calls.find((call) => call && call[2] !== __filename && !call[2].startsWith("node:"));
        const [, file, line] = /^(.*):(\d+)$/.exec(stack[0]) || []; // of an error of syntax
        const place = ([, name, file, line]) => `${file}:${line}${name ? " in " + name : ""}`;
        const where = file ? `${file}:${line}` : own ? place(own) : operation;
        const text = `${error.name}: ${error.message}`.slice(0, 1000);
        fs.writeSync(1, JSON.stringify({src: "n1", dest: "harness",
                                        body: {type: "failed", text, where: where.slice(-250)}}) + "\n");
    }
    process.exit(1);
}

// `parameters`: an object that gets the scenario's numbers. `background`: {name: async (lock) => ...}.
function serve({operations = {}, blocking = null, background = {}, stateless = false, durable = false,
                parameters = {}, onStart = () => {}, onReset = () => {}, onCrash = () => {}}) {
    const threads = new Map(); // by caller
    const reset = async () => {
        asked.clear(); // what waits is never continued
        open.clear();
        for (const [client, thread] of threads) {
            if (thread.busy) {
                thread.end();
                threads.delete(client);
            } else {
                thread.say({reset: true});
            }
        }
        await onReset();
    };
    const start = async (body) => {
        Object.assign(parameters, body.parameters);
        out.stepped = body.level === "stepped";
        if (!out.stepped && durable) {
            local.path = path.join(body.data_dir, "store.json");
            if (fs.existsSync(local.path)) [local.store, local.ends] = JSON.parse(fs.readFileSync(local.path));
        }
        await onStart(body);
        write("harness", {type: "init_ok", in_reply_to: body.msg_id, stateless,
                          background: out.stepped ? Object.keys(background).sort() : []});
    };
    const handle = async (message) => {
        const {body, src} = message;
        const ask = out.stepped ? askHarness(body.msg_id) : askStore;
        if (body.in_reply_to !== undefined) {
            answered(body);
        } else if (body.type === "init") {
            await start(body);
        } else if (body.type === "reset") {
            await reset();
            write("harness", {type: "reset_ok", in_reply_to: body.msg_id});
        } else if (body.type === "background") {
            background[body.name](makeLock(ask, false));
        } else if (body.type === "crash") {
            await onCrash(body.client);
        } else if (blocking) {
            if (!threads.has(src)) threads.set(src, new Thread(blocking));
            threads.get(src).run(ask, message);
        } else if (body.type in operations) {
            operate(operations[body.type], ask, message);
        } else {
            write(src, {type: "error", in_reply_to: body.msg_id, code: 10, text: body.type});
        }
    };
    process.on("uncaughtException", (error) => fail(error));
    process.on("unhandledRejection", (error) => fail(error));
    let before = Promise.resolve(); // hooks may be async: one message after the other
    const input = readline.createInterface({input: process.stdin});
    input.on("line", (line) => { before = before.then(() => handle(JSON.parse(line))); });
    input.on("close", () => before.then(() => process.exit(0)));
}

module.exports = {ProtocolError, notHeld, refused, serve};
if (!workers.isMainThread && workers.workerData && workers.workerData.lockkeeper) {
    runThread(workers.workerData.lockkeeper);
}
