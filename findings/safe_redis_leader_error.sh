#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Packages: safe-redis-leader 0.0.6 and ioredis 5.9.2 (npm) with Redis 7.0 (Debian 12).
# Expected: elect() makes a candidate: the leader renews its term, the others ask again each "wait". The README names no
#   error after which one would have to call elect() anew. After a failover, in which the server cannot be written for
#   a moment, one of the candidates leads.
# Really: the next renewal and the next question are only planned when the last one was answered. One error ends a
#   candidacy: the leader's term runs out without "demoted", and the others never ask again. All are connected, nobody
#   leads, and nobody ever will. A candidate that comes later is elected, and the old leader still believes.
# Seen: the lines at the end of this script. The server is a replica for 4 s. Control: no failover.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian redis-server '5:7.0.*'
npm_packages safe-redis-leader@0.0.6 ioredis@5.9.2
background redis-server --port 0 --unixsocket "$tmp/redis" --save '' --dir "$tmp" --logfile "$tmp/log"
patiently redis-cli -s "$tmp/redis" ping

cat >"$tmp/error.js" <<'PROGRAM'
const Redis = require("ioredis");
const {createSafeRedisLeader} = require("safe-redis-leader");
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const admin = new Redis({path: process.argv[2]});

// A candidate that is told of everything that the package tells.
async function candidate(key) {
  const asyncRedis = new Redis({path: process.argv[2]});
  const leader = await createSafeRedisLeader({asyncRedis, ttl: 3000, wait: 500, key});
  const it = {believes: "no leader", errors: 0, leads: () => leader.isLeader(), connected: () => asyncRedis.status};
  leader.on("elected", () => { it.believes = "the leader"; });
  leader.on("demoted", () => { it.believes = "no leader"; });
  leader.on("error", () => { ++it.errors; });
  await leader.elect();
  return it;
}

async function run(title, failover) {
  const a = await candidate(title), b = await candidate(title);
  await pause(1000);
  if (failover) {
    await admin.replicaof("127.0.0.1", "1");
    await pause(4000);
    await admin.replicaof("NO", "ONE");
  }
  await pause(5000);
  console.log(title);
  for (const [name, it] of [["A", a], ["B", b]]) {
    console.log(`  ${name}: ${it.connected()}, ${it.errors} errors, believes to be ${it.believes}, leads: ${await it.leads()}`);
  }
  const c = await candidate(title);
  await pause(1000);
  console.log(`  C comes: leads: ${await c.leads()}; A believes to be ${a.believes}`);
}

(async () => {
  await run("after a failover", true);
  await run("control, without one", false);
  process.exit();
})();
PROGRAM

as_stated 'after a failover
  A: ready, 1 errors, believes to be the leader, leads: false
  B: ready, 1 errors, believes to be no leader, leads: false
  C comes: leads: true; A believes to be the leader
control, without one
  A: ready, 0 errors, believes to be the leader, leads: true
  B: ready, 0 errors, believes to be no leader, leads: false
  C comes: leads: false; A believes to be the leader' "$(node "$tmp/error.js" "$tmp/redis")"
