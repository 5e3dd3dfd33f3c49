#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: bottleneck 2.19.5 (npm).
# Expected: a Group keeps one limiter for each key; the README says that a limiter is deleted when it has
#   been idle for `timeout`. A limiter with a running job and one in its queue is not idle.
# Really: the time is counted from the last start of a job. When a job runs for longer than `timeout`, its
#   limiter is deleted while the job runs, and the same key then gets a new limiter with all its places
#   free: two jobs run at once under maxConcurrent 1.
# Seen: the lines at the end of this script. Control: the same with a timeout longer than the job.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages bottleneck@2.19.5

cat >"$tmp/group.js" <<'PROGRAM'
const Bottleneck = require("bottleneck");
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

async function run(timeout) {
  const group = new Bottleneck.Group({maxConcurrent: 1, timeout});
  let running = 0;
  let most = 0;
  const job = async () => {
    most = Math.max(most, ++running);
    await pause(3000);
    --running;
  };
  const first = group.key("account");
  const begun = first.schedule(job);
  await pause(1500);
  console.log(`after 1.5 s: ${first.counts().EXECUTING} running, keys [${group.keys()}]`);
  const second = group.key("account");
  await Promise.all([begun, second.schedule(job)]);
  console.log(`timeout ${timeout}: ${first === second ? "one limiter" : "two limiters"}, at most ${most} at once`);
  await group.deleteKey("account");
}

run(200).then(() => run(60000)).then(() => process.exit(0));
PROGRAM

as_stated 'after 1.5 s: 1 running, keys []
timeout 200: two limiters, at most 2 at once
after 1.5 s: 1 running, keys [account]
timeout 60000: one limiter, at most 1 at once' "$(node "$tmp/group.js")"
