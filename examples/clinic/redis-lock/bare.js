// SPDX-License-Identifier: Apache-2.0

// A releases in time, but its DEL is slow: A's lock ends first, and B gets it. Does C get it beside B? It starts a
// redis-server.
"use strict";
const {ends, load, pause} = require("../bare.js");
const {redis} = require("../bare_servers.js");

ends(async () => {
    const {createClient} = load("redis-4");
    const redisLock = load("redis-lock");
    const socket = {path: await redis()};
    const clients = [];
    const made = async () => {
        clients.push(createClient({socket}));
        await clients.at(-1).connect();
        return {client: clients.at(-1), lock: redisLock(clients.at(-1))};
    };
    const [a, b, c] = [await made(), await made(), await made()];
    const release = await a.lock("key", 10000);
    const inside = [];
    const del = a.client.del.bind(a.client);
    a.client.del = async (key) => {
        await b.client.del(key);  // as its end does
        await b.lock("key", 60000);
        inside.push("B");
        return del(key);
    };
    await release();
    c.lock("key", 60000).then(() => inside.push("C"));
    await pause(1000);
    return inside.length > 1 && `${inside.join(" and ")} hold one lock`;
});
