// SPDX-License-Identifier: Apache-2.0

// @henrygd/semaphore, concurrency 1. A caller asks for the semaphore of its key each time.
"use strict";
const {imported, serve} = require("../library.js");

imported("@henrygd/semaphore").then((library) => {
    let runs = 0;

    serve({setup: () => ({get: library.getSemaphore, key: `run ${++runs}`}), operations: {
        acquire: async (lock, op) => {
            op.mine.semaphore = lock.get(lock.key, 1);
            await op.mine.semaphore.acquire();
        },
        release: (lock, op) => op.mine.semaphore.release(),
    }});
});
