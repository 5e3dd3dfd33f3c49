#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: cross-process-lock 2.2.0 (npm).
# Expected: the README says that withLock() runs the function, which returns a promise, with the lock before and an
#   unlock after it, that lockTimeout is the time after which a lock is released by itself, and that waitTimeout is the
#   time to wait for one.
# Really: withLock() unlocks as soon as the function has returned its promise: the work runs without the lock. And a
#   lock's time begins when its caller asks, not when it is granted: the longer one has waited, the sooner another one
#   takes the lock from its holder, who is told nothing.
# Seen: the lines at the end of this script. Controls: lock() and unlock() by hand; a holder that did not wait.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages cross-process-lock@2.2.0

# Each caller is a process, because the lock belongs to one. It works until a line comes in.
cat >"$tmp/caller.js" <<'PROGRAM'
const {lock, withLock} = require("cross-process-lock");
const [, , file, how, lockTimeout] = process.argv;
const options = {lockTimeout: Number(lockTimeout), waitTimeout: 20000};
const told = new Promise((resolve) => process.stdin.once("data", resolve));
const work = async () => {
  console.log("works");
  await told;
};

(async () => {
  if (how === "withLock") {
    await withLock(file, options, work);
  } else {
    const unlock = await lock(file, options);
    await work();
    await unlock();
  }
  process.exit();
})();
PROGRAM

cat >"$tmp/late.js" <<'PROGRAM'
const {spawn} = require("node:child_process");
const {once} = require("node:events");
const {writeFileSync} = require("node:fs");
const {join} = require("node:path");
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

// A caller of the lock of a file, once it works, or at once.
async function caller(file, how, lockTimeout, atOnce) {
  const child = spawn(process.execPath, [join(__dirname, "caller.js"), file, how, lockTimeout]);
  const it = {seen: "waits"};
  it.working = once(child.stdout, "data").then(() => { it.seen = "works"; });
  const over = once(child, "exit");
  it.end = async () => {
    child.stdin.end("end\n");
    await over;
  };
  if (!atOnce) {
    await it.working;
  }
  return it;
}

// A works, B asks. With a lock of 60 s nothing ends by itself.
async function sideBySide(title, how) {
  const file = join(__dirname, title);
  writeFileSync(file, "");
  const a = await caller(file, how, 60000);
  await pause(500);
  const b = await caller(file, "lock", 60000, true);
  await pause(2000);
  console.log(`${title}: A ${a.seen}, B ${b.seen}`);
  await a.end();
  await b.end();
}

// All locks have 8 s. A works, with or without a wait of 5 s for one before it. B asks, and is looked at when A has
// had the lock for 5 s.
async function afterWait(title, waits) {
  const file = join(__dirname, title);
  writeFileSync(file, "");
  const before = await caller(file, "lock", 8000);
  if (!waits) {
    await before.end();
  }
  const a = await caller(file, "lock", 8000, true);
  if (waits) {
    await pause(5000);
    await before.end();
  }
  await a.working;
  const b = await caller(file, "lock", 8000, true);
  await pause(5000);
  console.log(`${title}: A ${a.seen}, B ${b.seen}`);
  await a.end();
  await b.end();
}

(async () => {
  await sideBySide("withLock()", "withLock");
  await sideBySide("control, by hand", "lock");
  await afterWait("A has waited 5 s and has had its lock of 8 s for 5 s", true);
  await afterWait("control, A has not waited and has had its lock of 8 s for 5 s", false);
})();
PROGRAM

as_stated 'withLock(): A works, B works
control, by hand: A works, B waits
A has waited 5 s and has had its lock of 8 s for 5 s: A works, B works
control, A has not waited and has had its lock of 8 s for 5 s: A works, B waits' "$(node "$tmp/late.js")"
