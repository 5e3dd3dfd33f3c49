// SPDX-License-Identifier: Apache-2.0

// Two migrators that use no transaction ask for the lock one after the other, as kysely's Migrator does. It starts
// a PostgreSQL server.
"use strict";
const fs = require("fs");
const path = require("path");
const {pathToFileURL} = require("url");
const {ends, load, pause} = require("../bare.js");
const {postgres} = require("../bare_servers.js");

ends(async () => {
    const {Client, Pool} = load("pg");
    const name = fs.readdirSync("node_modules").find((folder) => folder.startsWith("kysely-"));
    const file = pathToFileURL(path.join(process.cwd(), "node_modules", name, "dist/index.js"));
    const {Kysely, PostgresDialect} = await import(file);
    const options = await postgres(Client);
    const inside = [];
    const migrate = (who) => {
        const dialect = new PostgresDialect({pool: new Pool({...options, max: 1})});
        const adapter = dialect.createAdapter();
        return new Kysely({dialect}).connection().execute(async (connection) => {
            await adapter.acquireMigrationLock(connection, {});
            inside.push(who);
            await pause(1000);
            inside.splice(inside.indexOf(who), 1);
            await adapter.releaseMigrationLock(connection, {});
        });
    };
    let both = "";
    const work = [migrate("A"), migrate("B")];
    for (let i = 0; i < 18 && !both; ++i) {
        await pause(50);
        both = inside.length > 1 ? `${inside.join(" and ")} migrate at once` : "";
    }
    await Promise.all(work);
    return both;
});
