#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Packages: rwmutex 1.0.0, read-write-mutexify 2.1.0 (npm).
# Expected: rwmutex is "inspired by Golang's sync.RWMutex", in which readers who come behind a waiting writer wait for it.
# Really: a reader gets in whenever nobody writes. Two readers in turns, one of them always inside, keep a writer out as
#   long as they go on; in read-write-mutexify as well, in which two writers in turns keep a reader out, too.
# Seen: the lines at the end of this script: how many reads, or writes, pass the one who waits before there is an end.
#   Control: a single reader with gaps.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages rwmutex@1.0.0 read-write-mutexify@2.1.0

cat >"$tmp/turns.js" <<'PROGRAM'
const RWMutex = require("rwmutex");
const ReadWriteLock = require("read-write-mutexify");
const turn = () => new Promise((resolve) => setImmediate(resolve));

// A pair of calls for each lock: ask for it, and get the function that gives it back.
const kinds = {
  rwmutex: () => {
    const mutex = new RWMutex();
    return {read: () => mutex.rlock(), write: () => mutex.lock()};
  },
  "read-write-mutexify": () => {
    const lock = new ReadWriteLock();
    return {
      read: async () => { await lock.read.lock(); return () => lock.read.unlock(); },
      write: async () => { await lock.write.lock(); return () => lock.write.unlock(); },
    };
  },
};

// Two who hold in turns, each asks before the other one leaves. How many come in before the one who waits?
async function run(title, asker, mode, overlapping) {
  let granted = false, passed = 0, leave = await asker[mode]();
  const waiting = asker[mode === "read" ? "write" : "read"]().then((release) => { granted = true; release(); });
  while (!granted && passed < 1000) {
    if (!overlapping) { leave(); await turn(); }
    if (granted) break;
    const next = asker[mode]();
    if (overlapping && mode === "write") leave();
    const release = await next;
    if (granted) { release(); break; }
    passed++;
    if (overlapping && mode === "read") leave();
    leave = release;
    await turn();
  }
  if (overlapping) leave();
  await waiting;
  console.log(`${title}: ${passed === 1000 ? "a thousand" : passed} pass it`);
}

(async () => {
  for (const kind of Object.keys(kinds)) {
    await run(`${kind}, readers in turns beside a waiting writer`, kinds[kind](), "read", true);
  }
  await run("read-write-mutexify, writers in turns beside a waiting reader", kinds["read-write-mutexify"](), "write", true);
  await run("control, rwmutex, one reader with gaps", kinds.rwmutex(), "read", false);
})();
PROGRAM

as_stated 'rwmutex, readers in turns beside a waiting writer: a thousand pass it
read-write-mutexify, readers in turns beside a waiting writer: a thousand pass it
read-write-mutexify, writers in turns beside a waiting reader: a thousand pass it
control, rwmutex, one reader with gaps: 0 pass it' "$(node "$tmp/turns.js")"
