// SPDX-License-Identifier: Apache-2.0

// A row that a transaction of knex has locked (FOR UPDATE SKIP LOCKED), on PostgreSQL by its pool.
// argv[2]: `outside`, broken: the transaction is forgotten, so that the row is free at once
'use strict';

const {load, serve} = require('./installed');
const knex = load('knex');
const open = () => knex({client: 'pg', connection: {}, pool: {min: 0, max: 2}});
const outside = process.argv[2] === 'outside';

serve((key) => {
  const db = open();
  let transaction = null;
  return {
    acquire: async () => {
      const begun = outside ? db : await db.transaction();
      const row = await begun('locks').where({name: key}).forUpdate().skipLocked().first();
      if (!row) {
        if (!outside) await begun.rollback();
        return false;
      }
      transaction = begun;
    },
    release: async () => {
      if (!outside) await transaction.commit();
    },
    close: () => db.destroy(),
  };
}, async () => {
  const db = open();
  await db.schema.createTable('locks', (table) => table.text('name').primary());
  await db('locks').insert({name: 'db'});
  await db.destroy();
});
