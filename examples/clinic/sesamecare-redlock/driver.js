// SPDX-License-Identifier: Apache-2.0

// @sesamecare-oss/redlock by ioredis, on one Redis.
"use strict";
const {load, serve} = require("../../wire/libraries/installed.js");
const {Redlock} = load("@sesamecare-oss/redlock");
const Redis = load("ioredis");

serve((key) => {
    const redis = new Redis(process.env.REDIS_URL);
    redis.on("error", () => {});
    const redlock = new Redlock([redis], {retryCount: 0});
    redlock.on("error", () => {});
    let lock = null;
    return {
        acquire: async () => {
            try {
                lock = await redlock.acquire([key], 10000);
                return lock.expiration;
            } catch (error) {
                if (/quorum|attempts/i.test(error.message)) return false;
                throw error;
            }
        },
        release: async () => {
            try {
                await lock.release();
                return true;
            } catch (error) {
                if (/quorum|attempts|release/i.test(error.message)) return false;
                throw error;
            }
        },
        close: () => redis.quit(),
    };
});
