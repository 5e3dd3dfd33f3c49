#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: web-locks 0.0.9 (npm).
# Expected: the README promises locks for several threads with one interface: a named resource is used by one at a time.
#   locks.attach(worker) connects a thread.
# Really: the first request of a name makes a lock and sends it to the threads that are attached at that moment. A thread
#   that is started later makes its own lock of that name, and its lock replaces the first one in the main thread.
#   The late thread works beside the holder, and so does the main thread beside itself: its next request goes to the
#   new lock.
# Seen: the lines at the end of this script. Control: the thread is attached before the first request.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages web-locks@0.0.9

cat >"$tmp/threads.js" <<'PROGRAM'
const {Worker, isMainThread, parentPort} = require("node:worker_threads");
const {locks} = require("web-locks");
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

// Up to two seconds for what does not happen.
async function happens(condition) {
  for (let tries = 0; tries < 20 && !condition(); ++tries) {
    await pause(100);
  }
}

// Works under the lock until it is told to end.
function work(name, says) {
  let end;
  const told = new Promise((resolve) => { end = resolve; });
  locks.request(name, async () => {
    says("works");
    await told;
  });
  return () => end();
}

async function run(title, attachFirst) {
  const seen = {thread: "starts", again: "waits"};
  let thread;
  const start = async () => {
    thread = new Worker(__filename);
    locks.attach(thread);
    thread.on("message", ({says}) => { seen.thread = says ?? seen.thread; });
    while (seen.thread === "starts") {
      await pause(50);
    }
  };
  if (attachFirst) {
    await start();
  }
  const end = work(title, () => {});
  await pause(200);
  if (!attachFirst) {
    await start();
  }
  thread.postMessage({ask: title});
  await happens(() => seen.thread === "works");
  const thenSeen = seen.thread;
  // The thread leaves, if it is in; the main thread still works and asks once more.
  thread.postMessage({leave: true});
  await pause(500);
  const endAgain = work(title, (what) => { seen.again = what; });
  await happens(() => seen.again === "works");
  console.log(`${title}: beside the main thread the other one ${thenSeen}, its own second request ${seen.again}`);
  end();
  endAgain();
  await thread.terminate();
}

if (isMainThread) {
  (async () => {
    await run("attached after the first request", false);
    await run("control, attached before it", true);
    process.exit();
  })();
} else {
  let end;
  parentPort.postMessage({says: "waits"});
  parentPort.on("message", ({ask, leave}) => {
    if (ask) {
      end = work(ask, (says) => parentPort.postMessage({says}));
    } else if (leave) {
      end();
    }
  });
}
PROGRAM

as_stated 'attached after the first request: beside the main thread the other one works, its own second request works
control, attached before it: beside the main thread the other one waits, its own second request waits' "$(node "$tmp/threads.js")"
