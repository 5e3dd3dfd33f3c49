#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: fast-mutex 1.0.2 (npm).
# Expected: the README says that `timeout` is the maximum time that a lock can be held, for holders that crashed or whose
#   tab was closed.
# Really: it is added once when the record is written and once more when the record is looked at: a dead holder keeps the
#   lock for twice the time. A caller waits for the time once, so that who comes right after the crash is refused, and
#   the time that is added is the looker's: one with a `timeout` of 60 s waits for 65 s for a holder of 5 s, one of 1 s
#   takes the lock after 6 s.
# Seen: the lines at the end of this script, by a clock that the script turns. Control: the holder releases it.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages fast-mutex@1.0.2

cat >"$tmp/dead.js" <<'PROGRAM'
const FastMutex = require("fast-mutex");
const RealDate = Date;
let now = 1e12;
globalThis.Date = class extends RealDate {
  constructor() {
    super(now);
  }
};

let looks = 0;

// Turns the clock by half a second after each look of the caller, until the lock is granted or refused.
async function ask(mutex) {
  let told = null;
  mutex.lock("job").then(() => (told = "granted"), () => (told = "refused"));
  while (!told) {
    const before = looks;
    while (looks == before && !told) await new Promise((resolve) => setImmediate(resolve));
    if (!told) now += 500;
  }
  return told;
}

async function run(title, timeout, release) {
  const stored = new Map();
  const localStorage = {
    getItem: (key) => {
      looks++;
      return stored.get(key) || null;
    },
    setItem: (key, value) => stored.set(key, value),
    removeItem: (key) => stored.delete(key),
  };
  const holder = new FastMutex({timeout: 5000, localStorage});
  await holder.lock("job");
  const begin = now;
  if (release) await holder.release("job");
  const told = [];
  while (told[told.length - 1] != "granted") told.push(await ask(new FastMutex({timeout, localStorage})));
  console.log(`${title}: ${told.join(", ")}, after ${Math.round((now - begin) / 1000)} s`);
}

(async () => {
  await run("a dead holder of 5 s, callers of 5 s", 5000, false);
  await run("a dead holder of 5 s, callers of 60 s", 60000, false);
  await run("a dead holder of 5 s, callers of 1 s", 1000, false);
  await run("control, it has released the lock", 5000, true);
})();
PROGRAM

as_stated 'a dead holder of 5 s, callers of 5 s: refused, refused, granted, after 10 s
a dead holder of 5 s, callers of 60 s: refused, granted, after 65 s
a dead holder of 5 s, callers of 1 s: refused, refused, refused, refused, refused, refused, granted, after 6 s
control, it has released the lock: granted, after 0 s' "$(node "$tmp/dead.js")"
