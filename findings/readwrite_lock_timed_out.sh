#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: readwrite-lock 1.0.5 (npm).
# Expected: a caller who is told "timed out" has not run, and does not run: it may do something else instead.
# Really: its function stays in the queue and runs when its turn comes, after the refusal. Of a lock on several keys it is
#   worse: the caller is refused, the key that was missing is taken for it later, and is never given back.
# Seen: the lines at the end of this script. Controls: no time-out; a time-out that is long enough.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages readwrite-lock@1.0.5

cat >"$tmp/late.js" <<'PROGRAM'
const ReadwriteLock = require("readwrite-lock");
const settled = () => new Promise((resolve) => setTimeout(resolve, 50));

// "b" is held; the caller asks for `keys`, and has got its answer, or waits, before "b" is released.
async function run(title, keys, timeout) {
  const lock = new ReadwriteLock();
  const told = [];
  let release;
  lock.acquireWrite("b", () => new Promise((resolve) => { release = resolve; }));
  const asked = lock.acquireWrite(keys, () => { told.push("its function runs"); }, {timeout})
      .then(() => told.push("it is told done"), (error) => told.push(`it is told "${error.message}"`));
  await (timeout === 20 ? asked : settled());
  told.push("b is released");
  release();
  await settled();
  let later = "waits for ever";
  lock.acquireWrite("b", () => { later = "is in"; });
  await settled();
  console.log(`${title}: ${told.join(", ")}; who asks for b then ${later}`);
}

(async () => {
  await run("one key", "b", 20);
  await run("two keys", ["a", "b"], 20);
  await run("control, one key, no time-out", "b");
  await run("control, two keys, no time-out", ["a", "b"]);
  await run("control, two keys, long enough", ["a", "b"], 100_000);
  process.exit(0);
})();
PROGRAM

as_stated 'one key: it is told "readwrite-lock timed out", b is released, its function runs; who asks for b then is in
two keys: it is told "readwrite-lock timed out", b is released; who asks for b then waits for ever
control, one key, no time-out: b is released, its function runs, it is told done; who asks for b then is in
control, two keys, no time-out: b is released, its function runs, it is told done; who asks for b then is in
control, two keys, long enough: b is released, its function runs, it is told done; who asks for b then is in' \
    "$(NODE_PATH="$tmp/node_modules" node "$tmp/late.js")"
