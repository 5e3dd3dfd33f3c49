#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0

// async-sema (npm), one place. Its release asks nobody whether he holds: a caller that releases twice
// makes two places of one, which is that caller's misuse. Run where `npm install async-sema` was run.
"use strict";
const {serve} = require("./lockkeeper_tasks.js");
const {Sema} = require(require.resolve("async-sema", {paths: [process.cwd()]}));

serve({setup: () => new Sema(1), operations: {
    acquire: async (sema) => { await sema.acquire(); },
    release: (sema) => sema.release(),
}});
