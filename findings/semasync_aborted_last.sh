#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: semasync 1.0.5 (npm).
# Expected: a waiter that is aborted leaves the queue, and the others keep their places.
# Really: it leaves one turn after the abort. If the lease is given back in between, it is granted to the aborted
#   waiter, which is thereby no longer in the queue. The clean-up looks for it, is told the position -1, and removes
#   what is at -1: the last one of the queue, which is never served and never told. With one waiter behind it is that
#   one, beside a free mutex.
# Seen: the lines at the end of this script. Controls: the release comes a turn later; before the abort.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages semasync@1.0.5

cat >"$tmp/last.js" <<'PROGRAM'
const {Mutex} = require("semasync");
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

// A holds. B, which gives up, and others wait in this order. Each one that is served releases at once.
async function run(title, others, finish) {
  const mutex = new Mutex();
  await mutex.acquire();
  const controller = new AbortController();
  const seen = {B: "waits"};
  const ask = (name, options) => {
    seen[name] = "waits";
    mutex.acquire(options).then(() => { seen[name] = "served"; mutex.release(); }, () => { seen[name] = "aborted"; });
  };
  ask("B", {signal: controller.signal});
  others.forEach((name) => ask(name, {}));
  await pause(10);
  await finish(() => controller.abort(), () => mutex.release());
  await pause(100);
  const rest = Object.entries(seen).map(([name, state]) => `${name} ${state}`).join(", ");
  console.log(`${title}: ${rest}; ${mutex.available} free, ${mutex.queue.length} in the queue`);
}

(async () => {
  const together = async (abort, release) => { abort(); release(); };
  await run("aborted and released, one behind", ["C"], together);
  await run("aborted and released, three behind", ["C", "D", "E"], together);
  await run("control, released a turn later", ["C", "D", "E"], async (abort, release) => {
    abort();
    await pause(10);
    release();
  });
  await run("control, released before", ["C", "D", "E"], async (abort, release) => { release(); abort(); });
})();
PROGRAM

as_stated 'aborted and released, one behind: B aborted, C waits; 1 free, 0 in the queue
aborted and released, three behind: B aborted, C served, D served, E waits; 1 free, 0 in the queue
control, released a turn later: B aborted, C served, D served, E served; 1 free, 0 in the queue
control, released before: B served, C served, D served, E served; 1 free, 0 in the queue' "$(node "$tmp/last.js")"
