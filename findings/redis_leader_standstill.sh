#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Packages: redis-leader 0.1.0 and ioredis 5.9.2 (npm) with Redis 7.0 (Debian 12).
# Expected: the README says that a leader renews its term each ttl/2, asks again each "wait" when it was revoked, and
#   that stop() releases the lock for others. After stop() this candidate is elected no more.
# Really: renewals that wait for a server that stands still are all answered "no longer leader" when it goes on, and each
#   of them begins an election of its own, for ever. stop() ends the one that was begun last: the others go on, and
#   the candidate that was stopped is elected again within one "wait". It leads, renews, and says so.
# Seen: the lines at the end of this script. The server is stopped for four terms. Control: it is not.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian redis-server '5:7.0.*'
npm_packages redis-leader@0.1.0 ioredis@5.9.2
background redis-server --port 0 --unixsocket "$tmp/redis" --save '' --dir "$tmp" --logfile "$tmp/log"
patiently redis-cli -s "$tmp/redis" ping

cat >"$tmp/program.js" <<'PROGRAM'
const Redis = require("ioredis");
const Leader = require("redis-leader");
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const [path, server] = [process.argv[2], Number(process.argv[3])];

// One candidate; the server stands still for a while, and later the candidate stops.
async function run(title, standstill) {
  const leader = new Leader(new Redis({path}), {ttl: 4000, wait: 800, key: title});
  const count = {elected: 0, revoked: 0};
  for (const event of ["elected", "revoked"]) leader.on(event, () => { ++count[event]; });
  leader.on("error", (error) => { console.log(`${title}: ${error.message}`); });
  const elected = () => new Promise((resolve) => leader.once("elected", resolve));
  const once = elected();
  leader.elect();
  await once;
  await pause(2800);
  const first = count.elected;
  if (standstill) {
    process.kill(server, "SIGSTOP");
    await pause(16800);
    const again = elected();
    process.kill(server, "SIGCONT");
    await again;
    await pause(4000);
  }
  const times = count.revoked > 1 ? "several times" : count.revoked ? "once" : "never";
  const again = count.elected > first ? "elected again" : "not elected again";
  console.log(`${title}: elected ${first}, revoked ${times}, ${again}`);
  const elections = count.elected;
  leader.stop();
  await pause(12000);
  const leads = await new Promise((resolve) => leader.isLeader((error, answer) => resolve(answer)));
  console.log(`${title}: 12 s after stop() elected again: ${count.elected > elections}, leads: ${leads}`);
}

(async () => {
  await run("the server stands still", true);
  await run("control", false);
  process.exit(0);
})();
PROGRAM

as_stated 'the server stands still: elected 1, revoked several times, elected again
the server stands still: 12 s after stop() elected again: true, leads: true
control: elected 1, revoked never, not elected again
control: 12 s after stop() elected again: false, leads: false' "$(node "$tmp/program.js" "$tmp/redis" "$last")"
