// SPDX-License-Identifier: Apache-2.0

// An advisory lock of PostgreSQL by pg: on a connection of its own, or as argv[2] says
//   pooled    broken: each statement takes a connection of the pool, and gives it back
'use strict';

const {load, serve} = require('./installed');
const {Client, Pool} = load('pg');
const pooled = process.argv[2] === 'pooled';

serve(async () => {
  const client = pooled ? new Pool({max: 2}) : new Client();
  client.on('error', () => {});
  if (!pooled) await client.connect();
  const ask = async (name) => (await client.query(`SELECT ${name}(7) AS done`)).rows[0].done;
  return {
    acquire: () => ask('pg_try_advisory_lock'),
    release: () => ask('pg_advisory_unlock'),
    close: () => client.end(),
  };
});
