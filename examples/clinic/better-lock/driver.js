// SPDX-License-Identifier: Apache-2.0

// better-lock: a wait gives up after five seconds of virtual time.
"use strict";
const {givesUp, load, serve, turns} = require("../library.js");
const {BetterLock, BetterLockWaitTimeoutError} = load("better-lock");

const {acquire, release} = turns((lock, work) => lock.acquire(work));
serve({setup: () => new BetterLock({wait_timeout: 5000}), operations: {
    acquire: (lock, op) => givesUp(acquire(lock, op), (error) => error instanceof BetterLockWaitTimeoutError),
    release,
}});
