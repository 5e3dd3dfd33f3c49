#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: @matrixai/async-locks 5.0.2 (npm; Semaphore).
# Expected: its types say that a lock() can be cancelled and may have a time-out. A caller that was told that it is
#   cancelled has left, and the places that are free go to the others.
# Really: its request stays at the head of the queue with all that it wanted, until as much is free. A cancelled request
#   for 3 of 3 keeps everybody out while one place is in use: waiters and newcomers who want one each sleep beside two
#   free places.
# Seen: the lines at the end of this script. Controls: nobody asked for 3; a time-out instead of the cancellation.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages @matrixai/async-locks@5.0.2

cat >"$tmp/cancelled.mjs" <<'PROGRAM'
import {Semaphore} from "@matrixai/async-locks";
const later = () => new Promise((resolve) => setTimeout(resolve, 1));

async function run(title, giveUp) {
  const semaphore = new Semaphore(3);
  const [leave] = await semaphore.lock()();
  let got = 0;
  const enter = () => semaphore.lock(1)().then(() => got++);
  const told = giveUp && giveUp(semaphore).then(() => "in", () => "no");
  enter();
  await later();
  if (told) console.log(`${title}: who wants 3 is told ${await told}`);
  await later();
  const before = got;
  enter();
  await later();
  console.log(`${title}: 1 of 3 in use, a waiter and a newcomer want 1 each: ${before} and ${got - before} in`);
  await leave();
  await later();
  console.log(`  when nothing is in use: ${got} of 2 in`);
}

await run("cancelled", (semaphore) => {
  const request = semaphore.lock(3)();
  later().then(() => request.cancel(new Error("cancelled")));
  return request;
});
await run("its time is over", (semaphore) => semaphore.lock(3, {timer: 1})());
await run("control, nobody wants 3", null);
PROGRAM

as_stated 'cancelled: who wants 3 is told no
cancelled: 1 of 3 in use, a waiter and a newcomer want 1 each: 0 and 0 in
  when nothing is in use: 2 of 2 in
its time is over: who wants 3 is told no
its time is over: 1 of 3 in use, a waiter and a newcomer want 1 each: 0 and 0 in
  when nothing is in use: 2 of 2 in
control, nobody wants 3: 1 of 3 in use, a waiter and a newcomer want 1 each: 1 and 1 in
  when nothing is in use: 2 of 2 in' "$(node "$tmp/cancelled.mjs")"
