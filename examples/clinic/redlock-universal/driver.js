// SPDX-License-Identifier: Apache-2.0

// redlock-universal, one Redis, by ioredis.
"use strict";
const {load, serve} = require("../../wire/libraries/installed.js");
const Redis = load("ioredis");
const {IoredisAdapter, createLock} = load("redlock-universal");

serve((key) => {
    const redis = new Redis(process.env.REDIS_URL);
    redis.on("error", () => {});
    const lock = createLock({adapter: new IoredisAdapter(redis), key, ttl: 10000, retryAttempts: 0});
    let handle = null;
    return {
        acquire: async () => {
            try {
                handle = await lock.acquire();
                return true;
            } catch (error) {
                if (error.name === "LockAcquisitionError") return false;
                throw error;
            }
        },
        release: () => lock.release(handle),
        close: () => redis.quit(),
    };
});
