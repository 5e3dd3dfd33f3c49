#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Packages: ioredis-conn-pool 1.0.0 with generic-pool 3.9.0 and ioredis 4.31.0 (npm), Redis 7.0 (Debian 12).
# Expected: a pool with max 2 has at most 2 connections, also if Redis was not there for a moment.
# Really: three things meet. The pool makes a client and takes its first error as a failure, generic-pool tries again at
#   once as long as somebody waits, and each client of ioredis that failed goes on connecting by itself. When Redis is
#   there they all connect: after 0.3 s without it a pool of 2 has more than 2 connections, about two hundred where this
#   was written, and 5 s later still.
# Seen: the lines at the end of this script: three ask for a connection. Control: Redis is there from the beginning.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian redis-server '5:7.0.*'
npm_packages ioredis-conn-pool@1.0.0 generic-pool@3.9.0 ioredis@4.31.0

cat >"$tmp/outage.js" <<'PROGRAM'
const {RedisPool, Redis} = require("ioredis-conn-pool");
const [, , path, title, time] = process.argv;
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const silent = Object.fromEntries(["debug", "info", "warn", "error"].map((name) => [name, () => {}]));

(async () => {
  const pool = new RedisPool({redis: {path}, pool: {min: 0, max: 2, acquireTimeoutMillis: Number(time)}, logger: silent});
  pool.on("error", () => {});
  const got = await Promise.all([1, 2, 3].map(() => pool.getConnection().then(() => "yes", () => "no")));
  console.log(`${title}: three ask: ${got.sort().join(" ")}`);
  const count = async () => {
    const redis = new Redis({path});
    const lines = (await redis.client("LIST")).trim().split("\n").length - 1;
    redis.disconnect();
    return lines;
  };
  process.once("SIGUSR1", async () => {
    await pause(5000);
    console.log(`  connections to Redis: ${await count() > 2 ? "more than 2" : "2 or less"}`);
    process.exit();
  });
  console.error("ready");
})();
PROGRAM

# run TITLE WHEN TIME: Redis is started before or after the three have asked, for so many milliseconds.
run() {
    : >"$tmp/ready"
    start() {
        background redis-server --port 0 --unixsocket "$tmp/redis" --save '' --dir "$tmp" --logfile "$tmp/log"
        redis=$last
        patiently redis-cli -s "$tmp/redis" ping
    }
    [[ $2 != before ]] || start
    NODE_PATH="$tmp/node_modules" node "$tmp/outage.js" "$tmp/redis" "$1" "$3" 2>"$tmp/ready" &
    local pool=$!
    patiently grep -q ready "$tmp/ready"
    [[ $2 != after ]] || start
    kill -USR1 "$pool"
    wait "$pool"
    kill "$redis"
    wait "$redis" || true
}
{
    run "Redis comes later" after 300
    run "control, Redis is there" before 4000
} >"$tmp/seen"

as_stated 'Redis comes later: three ask: no no no
  connections to Redis: more than 2
control, Redis is there: three ask: no yes yes
  connections to Redis: 2 or less' "$(cat "$tmp/seen")"
