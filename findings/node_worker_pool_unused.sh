#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: node-worker-pool 3.0.2 (npm).
# Expected: destroy() waits for the messages that are under way and ends the workers.
# Really: it is told only by the end of a message: a pool that was never sent one is never destroyed, its processes stay, and
#   keep the program alive.
# Seen: the lines at the end of this script. Control: one message before.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages node-worker-pool@3.0.2

cat >"$tmp/worker.js" <<'PROGRAM'
// Its answers are those of a worker of the package: one for the beginning, one for each message.
let first = true;
process.stdin.on("data", () => {
  console.log(JSON.stringify(first ? {initSuccess: true} : {response: {done: true}}));
  first = false;
});
PROGRAM
cat >"$tmp/unused.js" <<'PROGRAM'
const WorkerPool = require("node-worker-pool");
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const alive = (pid) => { try { return process.kill(pid, 0); } catch (error) { return false; } };

async function run(title, messages) {
  const pool = new WorkerPool(2, process.execPath, [process.argv[2]], {});
  const pids = pool._allWorkers.map((worker) => worker._childProcess.pid);
  for (let i = 0; i < messages; i++) await pool.sendMessage({number: i});
  let end = "not ended";
  pool.destroy().then(() => { end = "ended"; });
  for (let i = 0; i < 80 && end !== "ended"; i++) await pause(100);
  await pause(500);
  console.log(`${title}: destroy() has ${end} within 8 s, ${pids.filter(alive).length} of 2 workers are alive`);
  pids.filter(alive).forEach((pid) => process.kill(pid));
}

(async () => {
  await run("never used", 0);
  await run("control, one message", 1);
  process.exit();
})();
PROGRAM

as_stated 'never used: destroy() has not ended within 8 s, 2 of 2 workers are alive
control, one message: destroy() has ended within 8 s, 0 of 2 workers are alive' "$(node --no-deprecation "$tmp/unused.js" "$tmp/worker.js")"
