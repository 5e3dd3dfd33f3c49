// SPDX-License-Identifier: Apache-2.0

// A migration fails, and its caller rolls back. Can another connection migrate now? It starts a PostgreSQL server.
"use strict";
const path = require("path");
const {pathToFileURL} = require("url");
const {ends, load} = require("../bare.js");
const {postgres} = require("../bare_servers.js");

ends(async () => {
    const {Client} = load("pg");
    const {runner} = await import(pathToFileURL(require.resolve("node-pg-migrate", {paths: [process.cwd()]})));
    const options = await postgres(Client);
    globalThis.lockkeeperMigration = async () => {};
    const clients = [new Client(options), new Client(options)];
    for (const client of clients) await client.connect();
    const migrate = (client) => runner({dbClient: client, dir: path.join(__dirname, "migrations"), direction: "up",
                                        migrationsTable: "migrations", singleTransaction: false, log: () => {},
                                        verbose: false}).then(() => "", (error) => error.message);
    await migrate(clients[0]);
    await clients[0].query("ROLLBACK");
    const said = await migrate(clients[1]);
    for (const client of clients) await client.end();
    return /already running/.test(said) && `the run is over, and the next one is told: ${said}`;
});
