// SPDX-License-Identifier: Apache-2.0

// The first connection's server is silent, the second's answers. Is a connection served after the time-out?
"use strict";
const {ends, load} = require("../bare.js");

ends(async () => {
    const {Pool} = load("tarn");
    let tries = 0;
    const create = () => ++tries === 1 ? new Promise(() => {}) : Promise.resolve({});
    const pool = new Pool({create, validate: () => true, destroy: () => {}, min: 0, max: 1,
                           propagateCreateError: false, createTimeoutMillis: 50, acquireTimeoutMillis: 500});
    await pool.acquire().promise.then((connection) => pool.release(connection), () => {});
    return pool.acquire().promise.then(() => "", () => "nobody has the connection, and nobody gets one");
});
