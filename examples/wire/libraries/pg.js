// SPDX-License-Identifier: Apache-2.0

// An advisory lock of PostgreSQL by pg, on a connection of its own.
'use strict';

const {load, serve} = require('./installed');
const {Client} = load('pg');

serve(async () => {
  const client = new Client();
  client.on('error', () => {});
  await client.connect();
  const ask = async (name) => (await client.query(`SELECT ${name}(7) AS done`)).rows[0].done;
  return {
    acquire: () => ask('pg_try_advisory_lock'),
    release: () => ask('pg_advisory_unlock'),
    close: () => client.end(),
  };
});
