#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: rwlock 5.0.0 (npm).
# Expected: the documentation of readLock() says that a request whose "timeout" is over is canceled and gets no lock; its
#   "timeoutCallback" is called. The others keep their places. Release 5.0.0 was made so that it leaves the queue.
# Really: not the caller but the first of the queue is removed, whoever that is. If somebody without a time-out waits
#   before it, that one is never served. The caller that gave up comes to the head, where its turn does nothing: those
#   who wait behind it, and all who come later, wait for ever beside a free lock.
# Seen: the lines at the end of this script, 0.5 s after the release. Controls: the one that gives up is the first one,
#   as in the tests of the package; nobody gives up.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages rwlock@5.0.0

cat >"$tmp/place.js" <<'PROGRAM'
const ReadWriteLock = require("rwlock");
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

// Asks and releases at once.
function ask(lock, kind, options) {
  const caller = {seen: "waits"};
  const timeoutCallback = () => { caller.seen = "gave up"; };
  lock[kind]((release) => {
    caller.seen = "was served";
    release();
  }, {timeoutCallback, ...options});
  return caller;
}

// One writes. B and C ask, one of them for 0.1 s or none. D comes when all is released.
async function run(title, kind, b, c) {
  const lock = new ReadWriteLock();
  const release = await new Promise((resolve) => lock.writeLock(resolve));
  const callers = [ask(lock, kind, b), ask(lock, kind, c)];
  await pause(300);
  release();
  await pause(100);
  callers.push(ask(lock, kind));
  await pause(400);
  console.log(`${title}: ${callers.map(({seen}, index) => `${"BCD"[index]} ${seen}`).join(", ")}`);
}

(async () => {
  const soon = {timeout: 100}, late = {timeout: 60000};
  await run("writers, C gives up", "writeLock", {}, soon);
  await run("readers, C gives up", "readLock", {}, soon);
  await run("control, writers, B gives up", "writeLock", soon, {});
  await run("control, writers, nobody gives up", "writeLock", {}, late);
  process.exit();
})();
PROGRAM

as_stated 'writers, C gives up: B waits, C gave up, D waits
readers, C gives up: B waits, C gave up, D waits
control, writers, B gives up: B gave up, C was served, D was served
control, writers, nobody gives up: B was served, C was served, D was served' "$(node "$tmp/place.js")"
