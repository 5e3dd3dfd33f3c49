// SPDX-License-Identifier: Apache-2.0

// A queue of BullMQ with one job; a caller holds while it has fetched the job. A job that is given back has
// failed, and may be tried again at once.
"use strict";
const {load, serve} = require("../../wire/libraries/installed.js");
const {Queue, Worker} = load("bullmq");

const {hostname, port} = new URL(process.env.REDIS_URL);
const connection = {host: hostname, port: Number(port)};

serve((key) => {
    const options = {connection, autorun: false, skipLockRenewal: true, skipStalledCheck: true};
    const worker = new Worker(key, null, options);
    worker.on("error", () => {});
    const token = `${process.pid}`;
    let job = null;
    return {
        acquire: async () => {
            job = await worker.getNextJob(token, {block: false});
            return Boolean(job);
        },
        release: async () => {
            await job.moveToFailed(new Error("again"), token, false);
            return "done";
        },
        close: () => worker.close(true),
    };
}, async () => {
    const queue = new Queue("db", {connection});
    await queue.add("job", {}, {attempts: 100});
    await queue.close();
});
