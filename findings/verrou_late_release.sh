#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Packages: @verrou/core 0.5.2 (npm; with async-mutex 0.5.0), and ioredis 5.9.2 (npm) with Redis 7.0 (Debian 12) for the
#   control.
# Expected: the README says that one may go from one store to another without a change of the code, to the memory in
#   tests for instance. A lock has a time and an owner; the types say that a store deletes a lock for its owner and
#   refuses all others by E_LOCK_NOT_OWNED.
# Really: the memory store notes the owner when it makes the entry of a name, and not when the lock changes hands after
#   its time. A's time is over and B holds: A's late release is quiet and frees the lock, A's late extension sets the
#   time of B's lock, and others get in beside B. B, the owner, cannot extend its lock nor release it.
# Seen: the lines at the end of this script. Controls: the Redis store; a release in time, which removes the entry.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian redis-server '5:7.0.*'
npm_packages @verrou/core@0.5.2 async-mutex@0.5.0 ioredis@5.9.2
background redis-server --port 0 --unixsocket "$tmp/redis" --save '' --dir "$tmp" --logfile "$tmp/log"
patiently redis-cli -s "$tmp/redis" ping

cat >"$tmp/late.mjs" <<'PROGRAM'
import {Redis} from "ioredis";
import {Verrou} from "@verrou/core";
import {memoryStore} from "@verrou/core/drivers/memory";
import {redisStore} from "@verrou/core/drivers/redis";
const connection = new Redis({path: process.argv[2]});
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const tried = (call) => call.then((answer) => answer ?? "done", (error) => error.code);

async function run(title, driver, late) {
  const locks = new Verrou({default: "one", stores: {one: {driver}}});
  const a = locks.createLock(title, late ? 300 : 30000);
  const [b, c, d] = [1, 2, 3].map(() => locks.createLock(title, 30000));
  console.log(title);
  console.log("  A takes it:", await tried(a.acquireImmediately()));
  if (late) {
    await pause(500);
  } else {
    console.log("  A releases in time:", await tried(a.release()));
  }
  console.log("  B takes it for 30 s:", await tried(b.acquireImmediately()));
  console.log("  B extends it:", await tried(b.extend(30000)));
  console.log("  C tries:", await tried(c.acquireImmediately()));
  console.log("  A extends it by 0.3 s:", await tried(a.extend(300)));
  await pause(500);
  console.log("  C tries:", await tried(c.acquireImmediately()));
  console.log("  A releases:", await tried(a.release()));
  console.log("  D tries:", await tried(d.acquireImmediately()));
  console.log("  B releases:", await tried(b.release()));
}

await run("memory, A is late", memoryStore(), true);
await run("control: Redis, A is late", redisStore({connection}), true);
await run("control: memory, A in time", memoryStore(), false);
connection.disconnect();
PROGRAM

as_stated 'memory, A is late
  A takes it: true
  B takes it for 30 s: true
  B extends it: E_LOCK_NOT_OWNED
  C tries: false
  A extends it by 0.3 s: done
  C tries: true
  A releases: done
  D tries: true
  B releases: E_LOCK_NOT_OWNED
control: Redis, A is late
  A takes it: true
  B takes it for 30 s: true
  B extends it: done
  C tries: false
  A extends it by 0.3 s: E_LOCK_NOT_OWNED
  C tries: false
  A releases: E_LOCK_NOT_OWNED
  D tries: false
  B releases: done
control: memory, A in time
  A takes it: true
  A releases in time: done
  B takes it for 30 s: true
  B extends it: done
  C tries: false
  A extends it by 0.3 s: E_LOCK_NOT_OWNED
  C tries: false
  A releases: E_LOCK_NOT_OWNED
  D tries: false
  B releases: done' "$(cd "$tmp" && node late.mjs "$tmp/redis")"
