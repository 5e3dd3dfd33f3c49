// SPDX-License-Identifier: Apache-2.0

// The lock of knex's migrator on PostgreSQL: a row of a table. Whoever finds it taken is refused.
// argv[2], "unlocks": broken: `knex migrate:unlock` goes first, as a script of a deployment may have it.
'use strict';

const {load, serve} = require('./installed');
const knex = load('knex');
const {Migrator} = load('knex/lib/migrations/migrate/Migrator');

const unlocks = process.argv[2] === 'unlocks';
const open = () => knex({
  client: 'pg',
  connection: {host: process.env.PGHOST, port: Number(process.env.PGPORT), user: process.env.PGUSER, database: process.env.PGDATABASE},
  pool: {min: 0, max: 1},
  log: {warn() {}},
});

serve(() => {
  const db = open();
  const migrator = new Migrator(db);
  return {
    acquire: async () => {
      if (unlocks) await db.migrate.forceFreeMigrationsLock();
      try {
        await migrator._getLock();
        return true;
      } catch (error) {
        if (/already locked/.test(error.message)) return false;
        throw error;
      }
    },
    release: async () => {
      await migrator._freeLock();
      return 'done';
    },
    close: () => db.destroy(),
  };
}, async () => {
  const db = open();
  await db.migrate.currentVersion();  // makes its tables
  await db.destroy();
});
