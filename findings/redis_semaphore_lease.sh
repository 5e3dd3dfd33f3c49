#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Packages: redis-semaphore 5.8.0 and ioredis 5.9.2 (npm) with Redis 7.0 (Debian 12).
# Expected: the README says that lockTimeout is the time after which the semaphore is given back by itself.
#   A, who took the only place for 30 s, holds it for 30 s whoever else comes.
# Really: the holder's time is not stored, only when it took the place. Each caller reckons with its own
#   lockTimeout: B, whose is 0.2 s, throws out everybody who took a place more than 0.2 s ago and gets in.
#   A still says that it holds and is told nothing before its own refresh, up to 24 s later. The expiry
#   of the key in Redis is the last caller's too. The Mutex of the same package keeps the holder's time.
# Seen: the lines at the end of this script. Controls: C, who asks with 30 s as A does, and the Mutex.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian redis-server '5:7.0.*'
npm_packages redis-semaphore@5.8.0 ioredis@5.9.2
background redis-server --port 0 --unixsocket "$tmp/redis" --save '' --dir "$tmp" --logfile "$tmp/log"
patiently redis-cli -s "$tmp/redis" ping

cat >"$tmp/lease.js" <<'PROGRAM'
const Redis = require("ioredis");
const {Semaphore, Mutex} = require("redis-semaphore");
const redis = new Redis({path: process.argv[2]});
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
let lost = 0;

async function run(title, make) {
  const caller = (lockTimeout) =>
    make({lockTimeout, acquireTimeout: 50, retryInterval: 10, onLockLost: () => ++lost});
  const [a, b, c] = [30000, 200, 30000].map(caller);
  console.log(title);
  console.log("A, 30 s:", await a.tryAcquire());
  await pause(1000);
  console.log("C, 30 s:", await c.tryAcquire());
  console.log("B, 0.2 s:", await b.tryAcquire());
  console.log(`A holds: ${a.isAcquired}, told of a loss: ${lost}`);
  await Promise.all([a.release(), b.release()]);
}

(async () => {
  await run("Semaphore of 1", (options) => new Semaphore(redis, "place", 1, options));
  await run("control: Mutex", (options) => new Mutex(redis, "place", options));
  redis.disconnect();
})();
PROGRAM

as_stated 'Semaphore of 1
A, 30 s: true
C, 30 s: false
B, 0.2 s: true
A holds: true, told of a loss: 0
control: Mutex
A, 30 s: true
C, 30 s: false
B, 0.2 s: false
A holds: true, told of a loss: 0' "$(node "$tmp/lease.js" "$tmp/redis")"
