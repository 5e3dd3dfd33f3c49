#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: lightning-pool 4.14.0 (npm).
# Expected: `maxQueue` is how many callers may wait, and a caller whose `acquireTimeoutMillis` is over has left.
# Really: a request that timed out stays in the queue, and counts, until a place comes free. While all resources are held,
#   as many time-outs as `maxQueue` close the pool for everybody: callers are refused with "Pool queue is full" although
#   nobody waits, and `pending` says 2.
# Seen: the lines at the end of this script. Controls: without time-outs the third is refused rightly; after a release
#   the dead requests are gone.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages lightning-pool@4.14.0

cat >"$tmp/dead.mjs" <<'PROGRAM'
import {Pool} from "lightning-pool";

const factory = {create: async () => ({}), destroy: async () => {}};
const told = (asked) => asked.then(() => "granted", (error) => error.message);

async function run(title, acquireTimeoutMillis, waits, releases) {
  const pool = new Pool(factory, {max: 1, maxQueue: 2, acquireTimeoutMillis});
  const held = await pool.acquire();
  const asked = [told(pool.acquire()), told(pool.acquire())];
  const first = waits ? await Promise.all(asked) : ["waits", "waits"];
  if (releases) {
    pool.release(held);
    await new Promise(setImmediate);
  }
  const pending = pool.pending;
  const next = await Promise.race([told(pool.acquire()),
    new Promise((resolve) => setImmediate(() => setImmediate(() => resolve("waits"))))]);
  console.log(`${title}: ${first.join(", ")}; pending ${pending}; the next one: ${next}`);
}

await run("both have given up", 50, true, false);
await run("control, both wait", 0, false, false);
await run("control, both have given up, and the holder has released", 50, true, true);
process.exit(0);
PROGRAM

as_stated 'both have given up: Request timed out, Request timed out; pending 2; the next one: Pool queue is full
control, both wait: waits, waits; pending 2; the next one: Pool queue is full
control, both have given up, and the holder has released: Request timed out, Request timed out; pending 0; the next one: granted' \
    "$(cd "$tmp" && node dead.mjs)"
