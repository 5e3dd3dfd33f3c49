#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: db-lock 1.2.0 (npm; maxParallel).
# Expected: with maxParallel of 2 two are inside at a time. Who could not enter, because the transaction could not be
#   opened, is not inside.
# Really: he is counted before the transaction is opened and never taken from the count. After two such failures nobody
#   is inside and nobody gets in, although the service works again. While somebody is inside his leaving sets the
#   count to 0 and hides it.
# Seen: the lines at the end of this script. Controls: one failure; somebody was inside before.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages db-lock@1.2.0

cat >"$tmp/failed.js" <<'PROGRAM'
const DBLock = require("db-lock");
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

async function run(title, failures, before) {
  let left = 0;
  const lock = new DBLock({
    maxParallel: 2,
    enter: async () => {
      if (left-- > 0) {
        throw new Error("refused");
      }
      return "transaction";
    },
  });
  const enter = () => Promise.race([lock.enter().then(() => "enters", (error) => error.message), pause(200).then(() => "waits")]);
  left = failures;
  const seen = [];
  for (let caller = 0; caller < failures; caller++) {
    seen.push(await enter());
  }
  if (before) {
    await lock.enter();
    await lock.exit();
  }
  seen.push(`then one ${await enter()}`);
  console.log(`${title}: ${seen.join(", ")}`);
}

(async () => {
  await run("two are refused by the service", 2, false);
  await run("control, one is", 1, false);
  await run("control, one is, and one has been inside since", 1, true);
})();
PROGRAM

as_stated 'two are refused by the service: refused, refused, then one waits
control, one is: refused, then one enters
control, one is, and one has been inside since: refused, then one enters' "$(node "$tmp/failed.js")"
