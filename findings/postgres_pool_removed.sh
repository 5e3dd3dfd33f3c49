#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Packages: postgres-pool 11.0.4 and pg 8.16.3 (npm) with PostgreSQL 15 (Debian 12). So it is in postgres-pool 12.0.1.
# Expected: the README says that the pool is compatible with pg-pool and that whoever is finished must call release().
#   After release(true), by which a broken connection is removed, the pool has a free place, and the first who waits
#   gets a new connection.
# Really: a place that becomes free by a removal is given to nobody who waits. B sleeps beside it until its own time,
#   90 s, is over; C, who comes later, gets a connection at once. A connection that the server ended under its holder
#   is worse: its place has been given up by then, and release() hands the dead connection to B, whose first query
#   fails.
# Seen: the lines at the end of this script, with a pool of 1. Controls: pg's own pool; release() of a sound connection.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages postgres-pool@11.0.4 pg@8.16.3
start_postgresql

cat >"$tmp/removed.mjs" <<'PROGRAM'
import pg from "pg";
import {Pool} from "postgres-pool";
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const where = {host: process.argv[2], user: "tester", database: "postgres"};
const admin = new pg.Client(where);
await admin.connect();

function ask(pool) {
  const caller = {seen: "waits"};
  caller.over = pool.connect().then(async (connection) => {
    try {
      await connection.query("SELECT 1");
      caller.seen = "works";
      connection.release();
    } catch (error) {
      caller.seen = "has a dead connection";
      connection.release(true);
    }
  }, () => { caller.seen = "gave up"; });
  return caller;
}

// A has the only place and leaves it in one of the ways, B waits for it, C comes when B is over or has waited for 6 s.
async function run(title, pool, leave) {
  pool.on("error", () => {});
  const a = await pool.connect();
  a.on("error", () => {});
  const b = ask(pool);
  await pause(200);
  await leave(a);
  await Promise.race([b.over, pause(6000)]);
  const then = `B ${b.seen}, ${pool.totalCount} of 1 connections`;
  const c = ask(pool);
  await Promise.race([c.over, pause(6000)]);
  return `${title}: ${then}; C ${c.seen}`;
}

const sound = (connection) => connection.release();
const removed = (connection) => connection.release(true);
async function ended(connection) {
  const {rows: [{pid}]} = await connection.query("SELECT pg_backend_pid() AS pid");
  await admin.query("SELECT pg_terminate_backend($1)", [pid]);
  await pause(300);
  connection.release();
}
const ways = [["release(true)", removed], ["ended by the server, release()", ended], ["release()", sound]];
const seen = await Promise.all(ways.flatMap(([how, leave]) => [
  run(`postgres-pool, ${how}`, new Pool({...where, poolSize: 1, waitForAvailableConnectionTimeoutMillis: 60000}), leave),
  run(`control, pool of pg, ${how}`, new pg.Pool({...where, max: 1}), leave),
]));
console.log(seen.join("\n"));
process.exit();
PROGRAM

as_stated 'postgres-pool, release(true): B waits, 0 of 1 connections; C works
control, pool of pg, release(true): B works, 1 of 1 connections; C works
postgres-pool, ended by the server, release(): B has a dead connection, 0 of 1 connections; C works
control, pool of pg, ended by the server, release(): B works, 1 of 1 connections; C works
postgres-pool, release(): B works, 1 of 1 connections; C works
control, pool of pg, release(): B works, 1 of 1 connections; C works' "$(cd "$tmp" && node removed.mjs "$tmp")"
