#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: mortice 3.3.1 (npm; with it-queue 1.1.4). They need Promise.withResolvers; the program defines it for a Node
#   that does not have it.
# Expected: the README says that one writes at a time and that locks can time out. The type of writeLock() says that it
#   keeps all others out until it is released. So the signal that one passes, AbortSignal.timeout(500) for instance,
#   ends the wait.
# Really: a lock is a task in a queue, and the signal ends the task also while the lock is held. Who was granted it at
#   once loses it at the moment when the wait would have been over: two write, or one writes beside a reader. The
#   holder is told nothing, and its release() is as quiet as any other.
# Seen: the lines at the end of this script. Controls: no signal; a signal that fires while its owner waits.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages mortice@3.3.1 it-queue@1.1.4

cat >"$tmp/signal.mjs" <<'PROGRAM'
Promise.withResolvers ??= () => {
  const parts = {};
  parts.promise = new Promise((resolve, reject) => Object.assign(parts, {resolve, reject}));
  return parts;
};
const {default: mortice} = await import("mortice");
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

// Asks for a write lock and keeps it.
function ask(lock, options) {
  const asked = {seen: "waits"};
  lock.writeLock(options).then((release) => Object.assign(asked, {seen: "writes", release}),
                               (error) => { asked.seen = `refused by ${error.name}`; });
  return asked;
}

async function run(title, kind, options) {
  const lock = mortice({name: title});
  const release = await lock[kind](options);
  const other = ask(lock);
  await pause(100);
  const early = other.seen;
  await pause(1500);
  console.log(`${title}: at first the other ${early}, later it ${other.seen}`);
  release();
  await pause(100);
  other.release();
}

await run("writer, 0.5 s to wait", "writeLock", {signal: AbortSignal.timeout(500)});
await run("reader, 0.5 s to wait", "readLock", {signal: AbortSignal.timeout(500)});
await run("control, writer without a signal", "writeLock");
await run("control, reader without a signal", "readLock");

const lock = mortice({name: "waiting"});
const release = await lock.writeLock();
const waiter = ask(lock, {signal: AbortSignal.timeout(500)});
const next = ask(lock);
await pause(1500);
console.log(`control, 0.5 s are over in the wait: ${waiter.seen}, the next one ${next.seen}`);
release();
await pause(100);
console.log(`after the release the next one ${next.seen}`);
next.release();
PROGRAM

as_stated 'writer, 0.5 s to wait: at first the other waits, later it writes
reader, 0.5 s to wait: at first the other waits, later it writes
control, writer without a signal: at first the other waits, later it waits
control, reader without a signal: at first the other waits, later it waits
control, 0.5 s are over in the wait: refused by AbortError, the next one waits
after the release the next one writes' "$(cd "$tmp" && node signal.mjs)"
