// The program's side of Lockkeeper's protocol (docs/PROTOCOL.md), to be copied into a project.
//
// serve({operations: {acquire, release, renew}}) runs the operations, each an async function
// (lock, op): `op` is the message's body and op.client the caller; the object that it returns is
// the answer, `throw refused` says full, `throw notHeld` not (any more) the caller's. `lock` asks
// before each access. At the stepped level the harness owns what is stored, and decides whose turn
// it is; at the black-box level this file keeps it, in data_dir if `durable`.
"use strict";
const fs = require("fs");
const path = require("path");
const readline = require("readline");

class ProtocolError extends Error {
    constructor(code, text = "") {
        super(text);
        this.code = code;
    }
}
const refused = new ProtocolError(1000, "full");
const notHeld = new ProtocolError(22, "not held");

function write(dest, body) {
    fs.writeSync(1, JSON.stringify({src: "n1", dest, body}) + "\n");
}

// Values are compared as JSON.
const same = (left, right) => JSON.stringify(left) === JSON.stringify(right);

// What an operation may ask; `ask` differs between the two levels.
class Questions {
    async value(type, body, absent = []) {
        try {
            const answer = await this.ask(type, body);
            return answer.value === undefined ? true : answer.value;
        } catch (error) {
            if (absent.includes(error.code)) return null;
            throw error;
        }
    }
    read(key) { return this.value("read", {key}, [20]); }
    write(key, value) { return this.value("write", {key, value}); }
    insertNew(key, value) { return this.value("insert_new", {key, value}, [21]); }
    delete(key) { return this.value("delete", {key}, [20]); }
    updateCounter(key, add, limits = {}) {
        return this.value("update_counter", {key, add, ...limits}, [20]);
    }
    now() { return this.value("now", {}); }
    access(what) { return this.ask("access", {what}); }
    send(to, message) { return this.ask("send", {to, message}); }
    async receive(mailbox) { return (await this.ask("receive", {mailbox})).message; }
    monitor(client, mailbox, message) { return this.ask("monitor", {client, mailbox, message}); }
    // True when `old` (null: absent) was replaced by `new`.
    async cas(key, old, to) {
        const body = {key, from: old, to, create_if_not_exists: old === null};
        return (await this.value("cas", body, [20, 22])) !== null;
    }
}

// Asks the harness, which answers when it is this operation's turn.
const asked = new Map();
let count = 0;
class Stepped extends Questions {
    constructor(op) {
        super();
        this.op = op;
    }
    ask(type, body) {
        return new Promise((resolve, reject) => {
            asked.set(++count, {resolve, reject});
            write("harness", {type, msg_id: count, op: this.op, ...body});
        });
    }
}

// Keeps the store here. Before each access others may run, as they would between two steps.
const local = {store: {}, path: null};
class Local extends Questions {
    async ask(type, body) {
        await new Promise(setImmediate);
        const {store} = local, {key} = body, known = key in store;
        if (type === "now") return {value: Number(process.hrtime.bigint() / 1000000n)};
        if (type === "access" || type === "monitor") return {};
        if (type === "send" || type === "receive") throw new ProtocolError(10, "no messages here");
        if (type === "insert_new" && known) throw new ProtocolError(21);
        if (!known && !["write", "insert_new"].includes(type) && !body.create_if_not_exists) {
            throw new ProtocolError(20);
        }
        if (type === "read") return {value: store[key]};
        if (type === "cas" && known && !same(store[key], body.from)) throw new ProtocolError(22);
        if (type === "delete") {
            delete store[key];
        } else if (type === "update_counter") {
            const {least = -Infinity, most = Infinity} = body;
            store[key] = Math.min(Math.max((store[key] || 0) + body.add, least), most);
        } else {
            store[key] = type === "cas" ? body.to : body.value;
        }
        if (local.path) { // written beside and renamed: a crash leaves the old one or the new one
            fs.writeFileSync(local.path + ".new", JSON.stringify(store));
            fs.renameSync(local.path + ".new", local.path);
        }
        return {value: store[key]};
    }
}

async function operate(handler, lock, message) {
    const {type, msg_id} = message.body;
    try {
        const answer = await handler(lock, {...message.body, client: message.src});
        write(message.src, {type: type + "_ok", in_reply_to: msg_id, ...answer});
    } catch (error) {
        if (!(error instanceof ProtocolError)) throw error;
        write(message.src, {type: "error", in_reply_to: msg_id, code: error.code, text: error.message});
    }
}

// `parameters`: an object that gets the scenario's numbers. `background`: {name: async (lock) => ...}.
function serve({operations, background = {}, stateless = false, durable = false, parameters = {}}) {
    let stepped = true;
    const handle = (message) => {
        const {body, src} = message;
        if (body.in_reply_to !== undefined) {
            const {resolve, reject} = asked.get(body.in_reply_to);
            asked.delete(body.in_reply_to);
            if (body.type === "error") reject(new ProtocolError(body.code, body.text));
            else resolve(body);
        } else if (body.type === "init") {
            Object.assign(parameters, body.parameters);
            stepped = body.level === "stepped";
            if (!stepped && durable) {
                local.path = path.join(body.data_dir, "store.json");
                if (fs.existsSync(local.path)) local.store = JSON.parse(fs.readFileSync(local.path));
            }
            write("harness", {type: "init_ok", in_reply_to: body.msg_id, stateless,
                              background: stepped ? Object.keys(background).sort() : []});
        } else if (body.type === "reset") {
            asked.clear(); // what waits is never continued
            write("harness", {type: "reset_ok", in_reply_to: body.msg_id});
        } else if (body.type === "background") {
            background[body.name](new Stepped(body.msg_id));
        } else if (body.type in operations) {
            operate(operations[body.type], stepped ? new Stepped(body.msg_id) : new Local(), message);
        } else if (body.type !== "crash") {
            write(src, {type: "error", in_reply_to: body.msg_id, code: 10, text: body.type});
        }
    };
    readline.createInterface({input: process.stdin}).on("line", (line) => handle(JSON.parse(line)));
}

module.exports = {ProtocolError, notHeld, refused, serve};
