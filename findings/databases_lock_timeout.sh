#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: @databases/lock 2.1.0 (npm; with @databases/queue 1.0.1).
# Expected: the page of the package says that the number given to createLock() is a time-out for acquiring the lock,
#   and that the calls of withLock() queue up and run one at a time. So a caller whose time is up leaves the queue, and
#   the holder keeps the lock.
# Really: a caller whose time is up also releases the lock, which it never had. The next in the queue runs beside the
#   holder. With nobody in the queue the lock counts as free, and whoever comes next runs beside the holder. Nobody is
#   told.
# Seen: the lines at the end of this script. Controls: no time-out; a holder that ends in time.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages @databases/lock@2.1.0 @databases/queue@1.0.1

cat >"$tmp/timeout.js" <<'PROGRAM'
const {createLock, createLocksByKey} = require("@databases/lock");
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

// A call of withLock() that runs until it is told to end.
function call(withLock) {
  const it = {seen: "waits"};
  it.over = withLock(() => {
    it.seen = "runs";
    return new Promise((resolve) => { it.end = resolve; });
  }).then(() => { it.seen = "is done"; }, () => { it.seen = "gave up"; });
  return it;
}

// A holds. B asks, and its time is up at 600 ms. C asks at 200 ms, and its time would be up at 800 ms.
async function queued(title, withLock, holds) {
  const a = call(withLock);
  const b = call(withLock);
  await pause(200);
  const c = call(withLock);
  if (!holds) {
    a.end();
    await a.over;
  }
  await pause(holds ? 600 : 100);
  console.log(`${title}: A ${a.seen}, B ${b.seen}, C ${c.seen}`);
  for (const one of [a, b, c]) {
    one.end?.();
    await one.over;
  }
}

// A holds. B asks, and its time is up before C comes.
async function late(title, withLock) {
  const a = call(withLock);
  const b = call(withLock);
  await pause(800);
  const c = call(withLock);
  await pause(100);
  console.log(`${title}: A ${a.seen}, B ${b.seen}, C ${c.seen}`);
  for (const one of [a, b, c]) {
    one.end?.();
    await one.over;
  }
}

const one = (time) => {
  const lock = createLock(time);
  return (body) => lock.withLock(body);
};
const named = (time) => {
  const locks = createLocksByKey({timeoutMilliseconds: time});
  return (body) => locks.withLock("mail", body);
};

(async () => {
  await queued("C in the queue", one(600), true);
  await late("C comes later", one(600));
  await queued("by key, C in the queue", named(600), true);
  await late("by key, C comes later", named(600));
  await queued("control, no time-out", one(undefined), true);
  await late("control, no time-out, C comes later", one(undefined));
  await queued("control, A ends in time", one(600), false);
})();
PROGRAM

as_stated 'C in the queue: A runs, B gave up, C runs
C comes later: A runs, B gave up, C runs
by key, C in the queue: A runs, B gave up, C runs
by key, C comes later: A runs, B gave up, C runs
control, no time-out: A runs, B waits, C waits
control, no time-out, C comes later: A runs, B waits, C waits
control, A ends in time: A is done, B runs, C waits' "$(node "$tmp/timeout.js")"
