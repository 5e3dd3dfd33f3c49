#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Packages: node-redisson 1.0.4 and ioredis 5.9.2 (npm) with Redis 7.0 (Debian 12).
# Expected: the README says that unlocking is notified. lock() waits until the lock is free, and gets it then. How long
#   another caller of the same program waits is not its concern.
# Really: the callers of one program share a connection for the notices. The first of them whose time is up takes it off
#   the channel, for all: the others are not told of the unlock. They sleep beside the free lock for as long as its old
#   holder could have kept it when they asked: 30 s with the usual watchdog, in the test 8 s.
# Seen: the lines at the end of this script. Controls: no impatient caller; one of another program.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian redis-server '5:7.0.*'
npm_packages node-redisson@1.0.4 ioredis@5.9.2
background redis-server --port 0 --unixsocket "$tmp/redis" --save '' --dir "$tmp" --logfile "$tmp/log"
patiently redis-cli -s "$tmp/redis" ping

cat >"$tmp/impatient.js" <<'PROGRAM'
const {Redisson} = require("node-redisson");
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
// Each has connections of its own, as a program has.
const program = () => new Redisson({redis: {options: {path: process.argv[2]}}});
const [holding, waiting, third] = [program(), program(), program()];

// One holds for 8 s and unlocks after 2 s. Another waits as long as it takes, and the impatient one for 0.5 s.
async function run(title, impatient) {
  const held = holding.getLock(title);
  await held.lock(8000n);
  let seen = "waits";
  const patient = waiting.getLock(title).lock(8000n).then(() => { seen = "has it"; });
  await pause(500);
  const answer = impatient ? await impatient.getLock(title).tryLock(500n, 8000n) : "did not ask";
  await pause(1000);
  await held.unlock();
  await pause(2000);
  const after = `${seen}, Redis knows of a holder: ${await held.isLocked()}`;
  await patient;
  return `${title}: the impatient one: ${answer}\n  2 s after the unlock the patient one ${after}\n  in the end it ${seen}`;
}

(async () => {
  const seen = await Promise.all([
    run("in the same program", waiting),
    run("control, nobody impatient", null),
    run("control, in another program", third),
  ]);
  console.log(seen.join("\n"));
  process.exit();
})();
PROGRAM

as_stated 'in the same program: the impatient one: false
  2 s after the unlock the patient one waits, Redis knows of a holder: false
  in the end it has it
control, nobody impatient: the impatient one: did not ask
  2 s after the unlock the patient one has it, Redis knows of a holder: true
  in the end it has it
control, in another program: the impatient one: false
  2 s after the unlock the patient one has it, Redis knows of a holder: true
  in the end it has it' "$(node "$tmp/impatient.js" "$tmp/redis")"
