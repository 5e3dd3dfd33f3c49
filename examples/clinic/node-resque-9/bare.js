// SPDX-License-Identifier: Apache-2.0

// A gives the lead back. Between its question whether it leads and what it sends then, its lead ends, and B leads.
// Can C lead beside B? It starts a redis-server.
"use strict";
const fs = require("fs");
const {ends, load} = require("../bare.js");
const {redis} = require("../bare_servers.js");

ends(async () => {
    const {Scheduler} = load(fs.readdirSync("node_modules").find((folder) => folder.startsWith("node-resque-")));
    const Redis = load("ioredis");
    const socket = await redis();
    const made = async (name) => {
        const client = new Redis(socket);
        const scheduler = new Scheduler({connection: {pkg: "ioredis", redis: client}, name, leaderLockTimeout: 60});
        scheduler.on("error", () => {});
        await scheduler.connect();
        return {client, scheduler};
    };
    const [a, b, c] = [await made("A"), await made("B"), await made("C")];
    const leads = {A: await a.scheduler.tryForLeader()};
    const get = a.client.get.bind(a.client);
    a.client.get = async (key) => {
        const leader = await get(key);
        await b.client.del(key);  // as its end does
        leads.B = await b.scheduler.tryForLeader();
        return leader;
    };
    await a.scheduler.releaseLeaderLock();
    leads.C = await c.scheduler.tryForLeader();
    return leads.B && leads.C && "B and C lead at once";
});
