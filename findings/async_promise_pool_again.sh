#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: async-promise-pool 1.0.6 (npm).
# Expected: the README says that one can await pool.all() to make sure that all promises in the pool are resolved before
#   one goes on, and that promises may be added when they become known.
# Really: the promise of all() is kept for the life of the pool. Once it is settled each later all() returns at once,
#   whatever runs or waits: who waits for a second batch goes on before its first task has ended, and an error of the
#   second batch is told to nobody.
# Seen: the lines at the end of this script. Controls: the first batch; a pool of its own for the second one.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages async-promise-pool@1.0.6

cat >"$tmp/again.js" <<'PROGRAM'
const PromisePool = require("async-promise-pool");
const later = () => new Promise((resolve) => setImmediate(resolve));

async function batch(title, pool, fail) {
  let ended = 0;
  for (let task = 0; task < 3; task++)
    pool.add(async () => {
      await later();
      await later();
      if (fail && task == 0) throw new Error("the first task failed");
      ended++;
    });
  const told = await pool.all().then(() => "all is done", (error) => error.message);
  console.log(`${title}: told "${told}", ${ended} of 3 have ended`);
  for (let turn = 0; turn < 20; turn++) await later();
}

(async () => {
  const pool = new PromisePool({concurrency: 1});
  await batch("control, the first batch", pool, false);
  await batch("the second batch", pool, false);
  await batch("a third one that fails", pool, true);
  await batch("control, a pool of its own that fails", new PromisePool({concurrency: 1}), true);
})();
PROGRAM

as_stated 'control, the first batch: told "all is done", 3 of 3 have ended
the second batch: told "all is done", 0 of 3 have ended
a third one that fails: told "all is done", 0 of 3 have ended
control, a pool of its own that fails: told "the first task failed", 0 of 3 have ended' "$(node "$tmp/again.js")"
