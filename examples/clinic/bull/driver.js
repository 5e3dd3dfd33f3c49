// SPDX-License-Identifier: Apache-2.0

// The lock of a job of Bull: two workers that have heard of the same job.
"use strict";
const {load, serve} = require("../../wire/libraries/installed.js");
const Queue = load("bull");

const {hostname, port} = new URL(process.env.REDIS_URL);

function opened(key) {
    const queue = new Queue(key, Number(port), hostname);
    queue.on("error", () => {});
    return queue;
}

serve((key) => {
    const queue = opened(key);
    let job = null;
    return {
        acquire: async () => {
            job = await queue.getJob("one");
            return Boolean(await job.takeLock());
        },
        release: async () => { await job.releaseLock(); },
        close: () => queue.close(true),
    };
}, async () => {
    const queue = opened("db");
    await queue.add({}, {jobId: "one"});
    await queue.close(true);
});
