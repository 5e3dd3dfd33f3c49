// SPDX-License-Identifier: Apache-2.0

// Writers of async-rwlock; a wait gives up after five seconds of virtual time.
"use strict";
const {givesUp, load, serve} = require("../library.js");
const {ErrTimeout, RWLock} = load("async-rwlock");

serve({setup: () => new RWLock(), operations: {
    acquire: (lock) => givesUp(lock.writeLock(5000), (error) => error === ErrTimeout),
    release: (lock) => lock.unlock(),
}});
