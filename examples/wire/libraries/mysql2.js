// SPDX-License-Identifier: Apache-2.0

// GET_LOCK of MariaDB by mysql2's pool, on a connection that is kept while the lock is held. The argument
// says how statements go: query, as text, or execute, prepared.
'use strict';

const {load, serve} = require('./installed');
const mysql = load('mysql2/promise');
const way = process.argv[2] ?? 'query';
const {MYSQL_HOST: host, MYSQL_PORT: port, MYSQL_USER: user, MYSQL_DATABASE: database} = process.env;

serve(async (key) => {
  const pool = mysql.createPool({host, port: Number(port), user, database, connectionLimit: 2});
  let kept = null;
  const ask = async (call) => {
    const [rows] = await kept[way](`SELECT ${call} AS done`, [key]);
    return rows[0].done === 1;
  };
  const giveBack = () => {
    kept?.release();
    kept = null;
  };
  return {
    acquire: async () => {
      kept = await pool.getConnection();
      const granted = await ask('GET_LOCK(?, 0)');
      if (!granted) giveBack();
      return granted;
    },
    release: async () => {
      try {
        return await ask('RELEASE_LOCK(?)');
      } finally {
        giveBack();
      }
    },
    close: () => (giveBack(), pool.end()),
  };
});
