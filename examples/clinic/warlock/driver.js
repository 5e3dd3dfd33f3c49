// SPDX-License-Identifier: Apache-2.0

// node-redis-warlock by ioredis.
"use strict";
const {promisify} = require("util");
const {load, serve} = require("../../wire/libraries/installed.js");
const Warlock = load("node-redis-warlock");
const Redis = load("ioredis");

serve((key) => {
    const redis = new Redis(process.env.REDIS_URL);
    redis.on("error", () => {});
    const warlock = Warlock(redis);
    let unlock = null;
    return {
        acquire: async () => {
            unlock = await promisify(warlock.lock)(key, 10000);
            return Boolean(unlock);
        },
        release: async () => (await promisify(unlock)()) === 1,
        close: () => redis.quit(),
    };
});
