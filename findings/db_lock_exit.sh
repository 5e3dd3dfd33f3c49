#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: db-lock 1.2.0 (npm).
# Expected: the README says that the first who enters opens the transaction and the last who leaves flushes it. Nobody's
#   transaction is flushed while he works with it.
# Really: who leaves last waits for the inner lock, and does not look again when he has it. If another one is
#   about to enter at that moment, that one finds nobody inside and opens a second transaction; the one who leaves then
#   flushes that, under the other's work. The first transaction is never flushed, and the last to leave flushes null.
# Seen: the lines at the end of this script; B and C both come while A leaves. Controls: B stays for a moment; C comes
#   when B has left.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages db-lock@1.2.0

cat >"$tmp/exit.js" <<'PROGRAM'
const DBLock = require("db-lock");
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

async function run(title, stays, later) {
  const seen = [];
  let opened = 0;
  const lock = new DBLock({
    enter: async () => {
      await pause(5);
      seen.push(`open ${++opened}`);
      return opened;
    },
    exit: async (transaction) => {
      await pause(5);
      seen.push(`flush ${transaction}`);
    },
  });
  const caller = async (name, length, before) => {
    if (before) {
      await pause(before);
    }
    const transaction = await lock.enter();
    seen.push(`${name} works with ${transaction}`);
    if (length) {
      await pause(length);
      seen.push(`${name} is done`);
    }
    await lock.exit();
  };
  await lock.enter();
  seen.push("A works with 1");
  await Promise.all([lock.exit(), caller("B", stays), caller("C", 50, later)]);
  console.log(`${title}: ${seen.join(", ")}`);
}

(async () => {
  await run("B leaves at once", 0, 0);
  await run("control, B stays for a moment", 10, 0);
  await run("control, C comes later", 0, 50);
})();
PROGRAM

as_stated 'B leaves at once: open 1, A works with 1, flush 1, open 2, B works with 2, open 3, C works with 3, flush 3, C is done, flush null
control, B stays for a moment: open 1, A works with 1, flush 1, open 2, B works with 2, C works with 2, B is done, C is done, flush 2
control, C comes later: open 1, A works with 1, flush 1, open 2, B works with 2, flush 2, open 3, C works with 3, C is done, flush 3' "$(node "$tmp/exit.js")"
