// SPDX-License-Identifier: Apache-2.0

// The lock of node-pg-migrate's runner, by a connection of the caller's own and without a single transaction. A
// caller holds while its migration runs. The migration fails, and the caller rolls back.
"use strict";
const path = require("path");
const {imported, load, serve} = require("../../wire/libraries/installed.js");
const {Client} = load("pg");
const loading = imported("node-pg-migrate");

serve(async () => {
    const {runner} = await loading;
    const client = new Client();
    client.on("error", () => {});
    await client.connect();
    let fail = () => {};
    let over = Promise.resolve();
    return {
        acquire: () => new Promise((resolve, reject) => {
            globalThis.lockkeeperMigration = () => new Promise((done) => {
                fail = done;
                resolve();
            });
            over = runner({dbClient: client, dir: path.join(__dirname, "migrations"), direction: "up",
                           migrationsTable: "migrations", singleTransaction: false, log: () => {}, verbose: false});
            over.catch((error) => /already running/.test(error.message) ? resolve(false) : reject(error));
        }),
        release: async () => {
            fail();
            await over.catch(() => {});
            await client.query("ROLLBACK");
            return "done";
        },
        close: () => client.end(),
    };
});
