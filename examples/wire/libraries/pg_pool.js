// SPDX-License-Identifier: Apache-2.0

// An advisory lock of PostgreSQL by pg's Pool. argv[2]:
//   kept     the connection that has locked is kept until the release
//   queries  broken: Pool.query gives it back at once, and the pool closes it when it has been idle
'use strict';

const {load, serve} = require('./installed');
const {Pool} = load('pg');

const keeps = process.argv[2] !== 'queries';

serve(async () => {
  const pool = new Pool();
  pool.on('error', () => {});
  let held = null;
  const ask = async (client, name) => (await client.query(`SELECT ${name}(7) AS done`)).rows[0].done;
  return {
    acquire: async () => {
      if (!keeps) return ask(pool, 'pg_try_advisory_lock');
      const client = await pool.connect();
      client.on('error', () => {});
      if (await ask(client, 'pg_try_advisory_lock')) {
        held = client;
        return true;
      }
      client.release();
      return false;
    },
    release: async () => {
      if (!keeps) return ask(pool, 'pg_advisory_unlock');
      try {
        return await ask(held, 'pg_advisory_unlock');
      } finally {
        held.release();
        held = null;
      }
    },
    close: () => (held?.release(), pool.end()),
  };
});
