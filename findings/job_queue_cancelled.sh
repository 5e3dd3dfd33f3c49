#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Packages: @platformatic/job-queue 0.5.0 (npm; with iovalkey 0.2.2) with Redis 7.0 (Debian 12). They need
#   Promise.withResolvers; the program defines it for a Node that does not have it.
# Expected: the README says that an id is in the queue once, and that cancel() says "cancelled" when the job was
#   successfully cancelled. So nobody does it, also when a new job is put under its id.
# Really: cancel() forgets the id and leaves the job in the queue. A worker passes over a job whose id is unknown; the
#   new job makes it known again. Both are done, the cancelled one first, and with two places both at once under one id.
#   The result that is kept is that of the one which ends last.
# Seen: the lines at the end of this script. Controls: no new job; a new job under another id; a second job under one
#   id without cancel().

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian redis-server '5:7.0.*'
npm_packages @platformatic/job-queue@0.5.0 iovalkey@0.2.2
background redis-server --port 0 --unixsocket "$tmp/redis" --save '' --dir "$tmp" --logfile "$tmp/log"
patiently redis-cli -s "$tmp/redis" ping

cat >"$tmp/cancelled.mjs" <<'PROGRAM'
Promise.withResolvers ??= () => {
  const parts = {};
  parts.promise = new Promise((resolve, reject) => Object.assign(parts, {resolve, reject}));
  return parts;
};
const {MemoryStorage, Queue, RedisStorage} = await import("@platformatic/job-queue");
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const redis = () => new RedisStorage({url: process.argv[2], keyPrefix: `${Math.random()}:`});

// One job keeps the worker busy until the calls are made.
async function run(title, storage, calls, concurrency = 1) {
  const queue = new Queue({storage, concurrency, blockTimeout: 1});
  const busy = Promise.withResolvers();
  const under = new Map();
  queue.execute(async (job) => {
    if (job.payload === "busy") {
      return busy.promise;
    }
    under.set(job.id, (under.get(job.id) ?? 0) + 1);
    console.log(`  ${job.id} to ${job.payload} begins, under this id: ${under.get(job.id)}`);
    await pause(300);
    under.set(job.id, under.get(job.id) - 1);
    return job.payload;
  });
  await queue.start();
  for (let place = 0; place < concurrency; ++place) {
    await queue.enqueue(`busy ${place}`, "busy");
  }
  await pause(300);
  console.log(title);
  for (const [name, ...parts] of calls) {
    console.log(`  ${[name, ...parts].join(" ")}: ${(await queue[name](...parts)).status}`);
  }
  busy.resolve("");
  await pause(1200);
  console.log("  result of mail:", await queue.getResult("mail"));
  await queue.stop();
}

const cancelled = [["enqueue", "mail", "Ann"], ["cancel", "mail"]];
const again = ["enqueue", "mail", "Bob"];
await run("cancelled, then again", new MemoryStorage(), [...cancelled, again]);
await run("on Redis", redis(), [...cancelled, again]);
await run("two places", new MemoryStorage(), [...cancelled, again], 2);
await run("control: cancelled", redis(), cancelled);
await run("control: cancelled, then another id", redis(), [...cancelled, ["enqueue", "letter", "Bob"]]);
await run("control: not cancelled", redis(), [cancelled[0], again]);
process.exit();
PROGRAM

as_stated 'cancelled, then again
  enqueue mail Ann: queued
  cancel mail: cancelled
  enqueue mail Bob: queued
  mail to Ann begins, under this id: 1
  mail to Bob begins, under this id: 1
  result of mail: Bob
on Redis
  enqueue mail Ann: queued
  cancel mail: cancelled
  enqueue mail Bob: queued
  mail to Ann begins, under this id: 1
  mail to Bob begins, under this id: 1
  result of mail: Bob
two places
  enqueue mail Ann: queued
  cancel mail: cancelled
  enqueue mail Bob: queued
  mail to Ann begins, under this id: 1
  mail to Bob begins, under this id: 2
  result of mail: Bob
control: cancelled
  enqueue mail Ann: queued
  cancel mail: cancelled
  result of mail: null
control: cancelled, then another id
  enqueue mail Ann: queued
  cancel mail: cancelled
  enqueue letter Bob: queued
  letter to Bob begins, under this id: 1
  result of mail: null
control: not cancelled
  enqueue mail Ann: queued
  enqueue mail Bob: duplicate
  mail to Ann begins, under this id: 1
  result of mail: Ann' "$(cd "$tmp" && node cancelled.mjs "$tmp/redis")"
