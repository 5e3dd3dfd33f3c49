#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: async-rwlock 1.1.1 (npm).
# Expected: the README says of the time-out of readLock() and writeLock() how long the caller waits before its promise
#   is rejected. Who was told so is out of the queue, and the lock goes to those who still wait.
# Really: the caller stays in the queue and its turn is kept for it: the lock is set to "writing" for a writer that has
#   given up, and nobody ever releases it. A reader that gave up is counted as one who reads: the readers beside it end,
#   and no writer gets in. The lock itself says that it is taken as long as the program lives.
# Seen: the lines at the end of this script, 0.5 s after the last release. Control: nobody gives up.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages async-rwlock@1.1.1

cat >"$tmp/timed_out.js" <<'PROGRAM'
const {RWLock, State} = require("async-rwlock");
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

function ask(lock, kind, timeout) {
  const caller = {seen: "waits"};
  lock[kind](timeout).then(() => { caller.seen = "has it"; }, (error) => { caller.seen = `told "${error.message}"`; });
  return caller;
}

// A writes. The others ask at once, the first of them for as long as it is told. All release what they get.
async function run(title, kinds, timeout) {
  const lock = new RWLock();
  await lock.writeLock();
  const callers = kinds.map((kind, index) => ask(lock, kind, index === 0 ? timeout : undefined));
  await pause(300);
  lock.unlock();
  for (const caller of callers) {
    await pause(10);
    if (caller.seen === "has it") {
      lock.unlock();
      caller.seen = "had it";
    }
  }
  const newcomer = ask(lock, "writeLock");
  await pause(500);
  console.log(`${title}: ${callers.map(({seen}) => seen).join(", ")}; a new writer ${newcomer.seen}, ` +
              `the lock is ${State[lock.getState()]}`);
}

(async () => {
  const writers = ["writeLock"], readers = ["readLock", "readLock"];
  await run("a writer, 0.1 s", writers, 100);
  await run("two readers, the first one 0.1 s", readers, 100);
  await run("control, a writer, 10 s", writers, 10000);
  await run("control, two readers, the first one 10 s", readers, 10000);
  process.exit();
})();
PROGRAM

as_stated 'a writer, 0.1 s: told "acquire lock timeout"; a new writer waits, the lock is Writing
two readers, the first one 0.1 s: told "acquire lock timeout", had it; a new writer waits, the lock is Reading
control, a writer, 10 s: had it; a new writer has it, the lock is Writing
control, two readers, the first one 10 s: had it, had it; a new writer has it, the lock is Writing' "$(node "$tmp/timed_out.js")"
