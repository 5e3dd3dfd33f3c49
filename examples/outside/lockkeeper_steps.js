// SPDX-License-Identifier: Apache-2.0

// What an operation may ask, at both levels: the half of lockkeeper_client.js that is about steps, to
// be copied with it. Locks require lockkeeper_client.js alone.
"use strict";
const util = require("util");

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

module.exports = {ProtocolError, makeLock, notHeld, refused, same};
