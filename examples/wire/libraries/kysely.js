// SPDX-License-Identifier: Apache-2.0

// The lock of kysely's migrator on PostgreSQL, where the migrator uses no transaction
// (`disableTransactions`); argv[2] is the package: kysely-0.29.2 or kysely-0.29.3.
'use strict';

const {imported, load, serve} = require('./installed');
const {Pool} = load('pg');
const loading = imported(process.argv[2] || 'kysely-0.29.3');

serve(async () => {
  const {Kysely, PostgresDialect} = await loading;
  const dialect = new PostgresDialect({pool: new Pool({max: 2})});
  const db = new Kysely({dialect});
  const adapter = dialect.createAdapter();
  let release = () => {};
  return {
    // What the migrator does: it locks on a connection that it keeps, migrates, and unlocks there.
    acquire: () => new Promise((resolve, reject) => {
      const held = db.connection().execute(async (connection) => {
        await adapter.acquireMigrationLock(connection, {});
        await new Promise((done) => {
          release = () => (done(), held);
          resolve();
        });
        await adapter.releaseMigrationLock(connection, {});
      });
      held.catch(reject);
    }),
    release: async () => {
      await release();
      return 'done';
    },
    // Its pool waits for connections that are in use.
    close: async () => {
      await Promise.resolve(release()).catch(() => {});
      await db.destroy();
    },
  };
});
