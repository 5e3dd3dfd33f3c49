#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: cross-process-lock 2.2.0 (npm).
# Expected: the README says that withLock() runs the function, which returns a promise, with the lock before and an
#   unlock after it, that lockTimeout is the time after which a lock is released by itself, and that waitTimeout is the
#   time to wait for one.
# Really: withLock() unlocks as soon as the function has returned its promise: the work runs without the lock. And a
#   lock's time begins when its caller asks, not when it is granted: the longer one has waited, the sooner another one
#   takes the lock from its holder, who is told nothing.
# Seen: the lines at the end of this script; the clock is the program's own, and the pauses between two looks at the lock
#   are short. Controls: lock() and unlock() by hand; a holder that did not wait.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages cross-process-lock@2.2.0

# Each caller is a process, because the lock belongs to one. It tells when it has looked in vain, and when it works. It
# works until a line comes in.
cat >"$tmp/caller.js" <<'PROGRAM'
const {readFileSync} = require("node:fs");
const {lock, withLock} = require("cross-process-lock");
const [, , clock, file, how, lockTimeout] = process.argv;
const options = {lockTimeout: Number(lockTimeout), waitTimeout: 20000};
const told = new Promise((resolve) => process.stdin.once("data", resolve));
const later = globalThis.setTimeout;
globalThis.setTimeout = (callback) => {
  console.log("waits");
  return later(callback, 50);
};
Date.now = () => Number(readFileSync(clock, "utf8"));
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
const {existsSync, renameSync, writeFileSync} = require("node:fs");
const {join} = require("node:path");
const {createInterface} = require("node:readline");
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const clock = join(__dirname, "clock");

function setClock(seconds) {
  writeFileSync(`${clock}.new`, String(1e12 + seconds * 1000));
  renameSync(`${clock}.new`, clock);
}

// A caller of the lock of a file, after its first look at it. What it has seen is "waits" or "works".
async function caller(file, how, lockTimeout) {
  const child = spawn(process.execPath, [join(__dirname, "caller.js"), clock, file, how, lockTimeout],
                      {stdio: ["pipe", "pipe", "inherit"]});
  const over = once(child, "exit");
  const it = {};
  await new Promise((looked) => {
    it.working = new Promise((works) => {
      createInterface({input: child.stdout}).on("line", (line) => {
        it.seen = line;
        looked();
        if (line === "works") {
          works();
        }
      });
    });
  });
  it.end = async () => {
    child.stdin.end("end\n");
    await over;
  };
  return it;
}

// A works; it has 10 s to lose its lock, then B looks. With a lock of 60 s nothing ends by itself.
async function sideBySide(title, how) {
  setClock(0);
  const file = join(__dirname, title);
  writeFileSync(file, "");
  const a = await caller(file, how, 60000);
  await a.working;
  for (let look = 0; look < 100 && existsSync(`${file}.lock`); ++look) {
    await pause(100);
  }
  const b = await caller(file, "lock", 60000);
  console.log(`${title}: A ${a.seen}, B ${b.seen}`);
  await a.end();
  await b.end();
}

// All locks have 8 s. A works, with or without a wait of 5 s for the one before it. B looks when A has had the lock for
// 5 s.
async function afterWait(title, waits) {
  setClock(0);
  const file = join(__dirname, title);
  writeFileSync(file, "");
  const before = await caller(file, "lock", 8000);
  if (!waits) {
    await before.end();
    setClock(5);
  }
  const a = await caller(file, "lock", 8000);
  if (waits) {
    setClock(5);
    await before.end();
  }
  await a.working;
  setClock(10);
  const b = await caller(file, "lock", 8000);
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
