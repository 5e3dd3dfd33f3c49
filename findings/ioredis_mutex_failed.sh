#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Packages: ioredis-mutex 1.0.0 and ioredis 3.2.2 (npm) with Redis 7.0 (Debian 12).
# Expected: runWithMutex() gives the mutex back when the function has ended, however it ended.
# Really: only when it has succeeded. After a function that failed the key stays in Redis, without an expiry: every other
#   caller, in every program, waits until somebody deletes it by hand.
# Seen: the lines at the end of this script. Controls: the first function succeeds; it fails and catches its own error.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian redis-server '5:7.0.*'
npm_packages ioredis-mutex@1.0.0 ioredis@3.2.2
background redis-server --port 0 --unixsocket "$tmp/redis" --save '' --dir "$tmp" --logfile "$tmp/log"
patiently redis-cli -s "$tmp/redis" ping

cat >"$tmp/failed.js" <<'PROGRAM'
const {runWithMutex} = require("ioredis-mutex");
const Redis = require("ioredis");
const redis = new Redis(process.env.REDIS_URL);
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

// Whoever is first has ended before the other one asks. What has become of that one is told two seconds later.
async function run(title, first) {
  const told = await runWithMutex(title, first).then(() => "done", (error) => error.message);
  let other = "waits";
  runWithMutex(title, async () => {}).then(() => { other = "done"; });
  await pause(2000);
  const expiry = {"-1": "the key stays for ever", "-2": "there is no key"}[await redis.ttl(title)];
  console.log(`${title}: the first: ${told}; the other ${other}, ${expiry}`);
}

(async () => {
  await run("it fails", async () => { throw new Error("no such user"); });
  await run("control, it succeeds", async () => {});
  await run("control, it catches its error", async () => {
    try { throw new Error("no such user"); } catch (error) { return error.message; }
  });
  process.exit(0);
})();
PROGRAM

as_stated 'it fails: the first: no such user; the other waits, the key stays for ever
control, it succeeds: the first: done; the other done, there is no key
control, it catches its error: the first: done; the other done, there is no key' \
    "$(REDIS_URL="$tmp/redis" NODE_PATH="$tmp/node_modules" node "$tmp/failed.js" 2>&1)"
