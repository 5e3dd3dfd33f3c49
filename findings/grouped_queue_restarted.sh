#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: grouped-queue 2.1.0 (npm).
# Expected: a grouped queue runs one task at a time; pause() lets the task that runs end, and start() goes on.
# Really: if start() comes before that task has ended the next one begins beside it, and both go on with the rest: after
#   three pauses in one task four run at a time.
# Seen: the lines at the end of this script. Controls: start() comes when the task has ended; no pause.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages grouped-queue@2.1.0

cat >"$tmp/restarted.js" <<'PROGRAM'
const Queue = require("grouped-queue");
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

async function run(title, pauses, length) {
  const queue = new Queue();
  let inside = 0, most = 0, done = 0;
  for (let i = 0; i < 6; i++) {
    queue.add((next) => {
      most = Math.max(most, ++inside);
      setTimeout(() => { inside--; done++; next(); }, 1000);
    });
  }
  await pause(20);
  for (let i = 0; i < pauses; i++) {
    queue.pause();
    await pause(length);
    queue.start();
    await pause(10);
  }
  for (let i = 0; i < 200 && done < 6; i++) await pause(100);
  console.log(`${title}: ${most} at a time, ${done} of 6 done`);
}

(async () => {
  await run("a short pause", 1, 10);
  await run("three short pauses", 3, 10);
  await run("control, a pause beyond the end of the task", 1, 1500);
  await run("control, no pause", 0, 0);
})();
PROGRAM

as_stated 'a short pause: 2 at a time, 6 of 6 done
three short pauses: 4 at a time, 6 of 6 done
control, a pause beyond the end of the task: 1 at a time, 6 of 6 done
control, no pause: 1 at a time, 6 of 6 done' "$(node "$tmp/restarted.js")"
