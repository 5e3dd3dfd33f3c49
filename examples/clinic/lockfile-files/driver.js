// SPDX-License-Identifier: Apache-2.0

// lockfile (npm) without stale: a file that exists is the lock.
"use strict";
const path = require("path");
const {promisify} = require("util");
const {load, serve} = require("../../wire/libraries/installed.js");
const lockfile = load("lockfile");

serve((key) => {
    const file = path.join(process.env.LOCKKEEPER_FILES, key + ".lock");
    return {
        acquire: async () => {
            try {
                await promisify(lockfile.lock)(file, {});
                return true;
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
