// SPDX-License-Identifier: Apache-2.0

// A scheduler dies when it has asked for the lead: nothing that it would send afterwards is sent. Can another one
// lead when the time of a lead, a second here, is over? It starts a redis-server.
"use strict";
const fs = require("fs");
const {ends, load, pause} = require("../bare.js");
const {redis} = require("../bare_servers.js");

ends(async () => {
    const {Scheduler} = load(fs.readdirSync("node_modules").find((folder) => folder.startsWith("node-resque-")));
    const Redis = load("ioredis");
    const socket = await redis();
    const made = async (name) => {
        const client = new Redis(socket);
        const scheduler = new Scheduler({connection: {pkg: "ioredis", redis: client}, name, leaderLockTimeout: 1,
                                         masterLockTimeout: 1});
        scheduler.on("error", () => {});
        await scheduler.connect();
        return {client, ask: () => (scheduler.tryForLeader || scheduler.tryForMaster).call(scheduler)};
    };
    const [a, b] = [await made("A"), await made("B")];
    const died = new Promise((resolve) => {
        a.client.expire = () => {
            a.client.disconnect();
            resolve();
            return new Promise(() => {});
        };
    });
    await Promise.race([died, a.ask()]);
    await pause(2000);
    return !await b.ask() && "a lead lasts a second, and two seconds after the death of A nobody can lead";
});
