// SPDX-License-Identifier: Apache-2.0

// The only job of a queue of the policy "stately" has failed once and waits to be tried again. Is it given to a
// worker that starts now and asks for jobs? It starts a PostgreSQL server.
"use strict";
const fs = require("fs");
const {ends, load} = require("../bare.js");
const {postgres} = require("../bare_servers.js");

ends(async () => {
    const PgBoss = load(fs.readdirSync("node_modules").find((folder) => folder.startsWith("pg-boss-")));
    const server = await postgres(load("pg").Client);
    const started = async () => {
        const boss = new PgBoss({...server, max: 1, supervise: false, schedule: false});
        boss.on("error", () => {});
        return boss.start();
    };
    const boss = await started();
    await boss.createQueue("db", {policy: "stately", retryLimit: 100});
    await boss.send("db", {}, {singletonKey: "one"});
    const [job] = await boss.fetch("db");
    await boss.fail("db", job.id);
    await boss.supervise("db");
    const worker = await started();
    const again = await worker.fetch("db", {batchSize: 2});
    for (const each of [worker, boss]) await each.stop({graceful: false});
    return again.length === 0 && "the job waits to be tried again, and a worker that asks gets nothing";
});
