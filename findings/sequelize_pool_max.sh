#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Packages: sequelize-pool 8.0.1 and pg 8.16.3 (npm) with PostgreSQL 15 (Debian 12).
# Expected: a pool of "max" 1 has one connection at a time. The README says that it waits for the promise of "destroy".
#   A pool of 1 for a user who may have 1 connection works, also when it retires a connection by "maxUses".
# Really: only whoever called the pool's destroy() waits for it. The place of the old connection is free before it has
#   begun to say goodbye, and the next one is made at once. The server sees two connections of a pool of 1; where it
#   allows one only the caller who waited gets its error, though it would have been served a moment later.
# Seen: the lines at the end of this script. A connection needs 0.5 s for its goodbye. Control: no "maxUses".

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages sequelize-pool@8.0.1 pg@8.16.3
start_postgresql

cat >"$tmp/max.js" <<'PROGRAM'
const pg = require("pg");
const {Pool} = require("sequelize-pool");
const where = {host: process.argv[2], database: "postgres"};

// A works with the connection of the pool and gives it back while B waits.
async function run(title, user, options) {
  let open = 0, most = 0;
  const pool = new Pool({
    create: async () => {
      const connection = new pg.Client({...where, user});
      await connection.connect();
      most = Math.max(most, ++open);
      return connection;
    },
    destroy: async (connection) => {
      await connection.query("SELECT pg_sleep(0.5)");
      await connection.end();
      --open;
    },
    validate: () => true, min: 0, max: 1, ...options,
  });
  const a = await pool.acquire();
  const b = pool.acquire().then(() => "is served", (error) => `is told "${error.message}"`);
  pool.release(a);
  console.log(`${title}: B ${await b}, at most ${most} at once`);
}

(async () => {
  const admin = new pg.Client({...where, user: "tester"});
  await admin.connect();
  await admin.query("CREATE ROLE one LOGIN CONNECTION LIMIT 1; CREATE ROLE many LOGIN");
  await run("pool of 1, each connection used once", "many", {maxUses: 1});
  await run("the same, the user may have one", "one", {maxUses: 1});
  while ((await admin.query("SELECT 1 FROM pg_stat_activity WHERE usename = 'one'")).rowCount > 0) {
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  await run("control, the user may have one, no maxUses", "one", {});
  process.exit();
})();
PROGRAM

as_stated 'pool of 1, each connection used once: B is served, at most 2 at once
the same, the user may have one: B is told "too many connections for role "one"", at most 1 at once
control, the user may have one, no maxUses: B is served, at most 1 at once' "$(node "$tmp/max.js" "$tmp")"
