// SPDX-License-Identifier: Apache-2.0

// What the adapters for npm's packages share: the client of examples/outside, and how a package of
// a version is loaded.
"use strict";
const client = require("../outside/lockkeeper_client.js");

// A package of package.json, for example "async-mutex" or "async-mutex-0.1"; of $LOCKKEEPER_LIBRARIES where
// that is set.
const find = (name) => require.resolve(name, {paths: [process.env.LOCKKEEPER_LIBRARIES ?? __dirname]});
function load(name) {
    try {
        return require(find(name));
    } catch (error) {
        if (error.code !== "MODULE_NOT_FOUND") throw error;
        console.error(`not installed: ${name} (npm); see examples/real_locks/README.md`);
        process.exit(1);
    }
}

module.exports = {client, find, load};
