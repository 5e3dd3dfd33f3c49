// SPDX-License-Identifier: Apache-2.0

// For the programs that show a fault without Lockkeeper, run where the library is installed. They say what
// happened, and end with 1 where the promise is broken, else with 0.
"use strict";
exports.load = (name) => require(require.resolve(name, {paths: [process.cwd()]}));
exports.pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

// run(): a sentence where the promise is broken, else nothing.
exports.ends = (run) => {
    // Node.js before 22 does not have it.
    Promise.withResolvers ??= () => {
        const parts = {};
        parts.promise = new Promise((resolve, reject) => Object.assign(parts, {resolve, reject}));
        return parts;
    };
    run().then((broken) => {
        console.log(broken || "kept");
        process.exit(broken ? 1 : 0);
    }, (error) => {
        console.error(error);
        process.exit(70);
    });
};
