#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: promise-pool-executor 2.0.0 (npm).
# Expected: `frequencyLimit` is how many promises may be begun in the time window, and may be changed while the pool
#   works. With a limit of 0 none is begun, as with `concurrencyLimit` 0.
# Really: 0 is no limit. Who lowers the limit step by step to close a pool, a group or a task opens it: all that waits
#   begins at once. `freeSlots` says that there is no room.
# Seen: the lines at the end of this script. Controls: the limit stays 1; the number at once is lowered to 0; a limit of
#   a half.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages promise-pool-executor@2.0.0

cat >"$tmp/zero.js" <<'PROGRAM'
const {PromisePoolExecutor} = require("promise-pool-executor");
const settled = () => new Promise((resolve) => setTimeout(resolve, 100));

// Twenty promises are to be generated; the limit is set to each of `values` in turn. The window lasts for hours.
async function run(title, limit, values) {
  const pool = new PromisePoolExecutor({frequencyWindow: 100_000_000, [limit]: values[0]});
  let begun = 0;
  const ends = [];
  pool.addGenericTask({
    generator: (index) => index < 20 ? (begun++, new Promise((resolve) => ends.push(resolve))) : undefined,
  });
  const told = [];
  for (const value of values) {
    pool[limit] = value;
    await settled();
    told.push(`limit ${value}: ${begun} begun, free slots ${pool.freeSlots}`);
    if (limit === "concurrencyLimit") {
      ends.splice(0).forEach((end) => end());
    }
  }
  console.log(`${title}: ${told.join("; ")}`);
}

(async () => {
  await run("frequency", "frequencyLimit", [2, 1, 0]);
  await run("control, it stays 1", "frequencyLimit", [1, 1, 1]);
  await run("control, at once", "concurrencyLimit", [2, 1, 0, 0]);
  await run("control, a half", "frequencyLimit", [1, 0.5]);
  process.exit(0);
})();
PROGRAM

as_stated 'frequency: limit 2: 2 begun, free slots 0; limit 1: 2 begun, free slots -1; limit 0: 20 begun, free slots -20
control, it stays 1: limit 1: 1 begun, free slots 0; limit 1: 1 begun, free slots 0; limit 1: 1 begun, free slots 0
control, at once: limit 2: 2 begun, free slots 0; limit 1: 3 begun, free slots 0; limit 0: 3 begun, free slots 0; limit 0: 3 begun, free slots 0
control, a half: limit 1: 1 begun, free slots 0; limit 0.5: 1 begun, free slots -0.5' \
    "$(NODE_PATH="$tmp/node_modules" node "$tmp/zero.js")"
