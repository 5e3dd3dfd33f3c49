// SPDX-License-Identifier: Apache-2.0

// proper-lockfile on a folder, where a process has died an hour ago and left its lock.
"use strict";
const fs = require("fs");
const path = require("path");
const {load, serve} = require("../../wire/libraries/installed.js");
const {lock} = load("proper-lockfile");

const pathOf = (key) => path.join(process.env.LOCKKEEPER_FILES, key);

function setup(key) {
    let release;
    return {
        acquire: async () => {
            try {
                release = await lock(pathOf(key), {realpath: false, onCompromised: () => {}});
                return true;
            } catch (error) {
                if (error.code === "ELOCKED") return false;
                throw error;
            }
        },
        release: () => release().then(() => true, () => false),
    };
}

async function leave() {
    const left = pathOf("db") + ".lock";
    fs.mkdirSync(left);
    const then = Date.now() / 1000 - 3600;
    fs.utimesSync(left, then, then);
}

serve(setup, leave);
