// SPDX-License-Identifier: Apache-2.0

// lockfile (npm) with stale: a file that is older than ten seconds is no lock.
"use strict";
const path = require("path");
const {promisify} = require("util");
const {load, serve} = require("../../wire/libraries/installed.js");
const lockfile = load("lockfile");
const STALE = 10000;  // milliseconds

serve((key) => {
    const file = path.join(process.env.LOCKKEEPER_FILES, key + ".lock");
    return {
        acquire: async () => {
            try {
                await promisify(lockfile.lock)(file, {stale: STALE});
                return Date.now() + STALE + 1;  // it is stale when it is older than that
            } catch (error) {
                if (error.code === "EEXIST") return false;
                throw error;
            }
        },
        release: async () => {
            await promisify(lockfile.unlock)(file);
            return "done";
        },
    };
});
