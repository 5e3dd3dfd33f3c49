#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: limited-request-queue 5.1.0 (npm).
# Expected: with maxSocketsPerHost 1 one request to a host is under way; dequeue() takes out one that waits.
# Really: dequeue() counts a request of the host as ended that was not under way: the next one that is added begins beside
#   the one that is.
# Seen: the lines at the end of this script. Controls: nothing is taken out; what is taken out is for another host.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages limited-request-queue@5.1.0

cat >"$tmp/dequeued.mjs" <<'PROGRAM'
import module, * as all from "limited-request-queue";
const RequestQueue = module.default ?? module;
const ITEM = all.ITEM_EVENT ?? module.ITEM_EVENT;

async function run(title, host, removed) {
  const queue = new RequestQueue({maxSocketsPerHost: 1, ignoreSubdomains: false});
  let underWay = 0, most = 0, ended = 0;
  queue.on(ITEM, (url, data, done) => {
    most = Math.max(most, url.hostname === host ? ++underWay : 0);
    setTimeout(() => {
      if (url.hostname === host) { underWay--; ended++; }
      done();
    }, 50);
  });
  const add = (name) => queue.enqueue(new URL(`http://${name}/`));
  add(host);
  add("other.test");
  const waiting = [add(host), add("other.test")];
  add(host);
  add(host);
  if (removed) queue.dequeue(waiting[removed === host ? 0 : 1]);
  add(host);
  await new Promise((resolve) => setTimeout(resolve, 600));
  console.log(`${title}: ${most} of 1 under way, ${ended} answered; ${queue.numQueued} of the queue still wait`);
}

await run("one is taken out, one is added", "one.test", "one.test");
await run("control, none is taken out, one is added", "one.test", undefined);
await run("control, one of another host is taken out, one is added", "one.test", "other.test");
PROGRAM

as_stated 'one is taken out, one is added: 2 of 1 under way, 4 answered; 0 of the queue still wait
control, none is taken out, one is added: 1 of 1 under way, 5 answered; 0 of the queue still wait
control, one of another host is taken out, one is added: 1 of 1 under way, 5 answered; 0 of the queue still wait' "$(node "$tmp/dequeued.mjs")"
