#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: @midwayjs/simple-lock 1.2.2 (npm).
# Expected: sureOnce(fn) runs a function once, and who asks meanwhile or later has its result; if it failed, they are told.
# Really: who asks meanwhile is told success, with undefined, whether it succeeded or failed. Who asks when it is done is
#   put into the queue, which nobody serves any more.
# Seen: the lines at the end of this script, and how many the queue still holds at rest. Control: the first caller.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages @midwayjs/simple-lock@1.2.2

cat >"$tmp/once.js" <<'PROGRAM'
const Lock = require("@midwayjs/simple-lock").default;
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

async function run(title, work) {
  const lock = new Lock();
  let runs = 0;
  const told = ["nothing", "nothing", "nothing"];
  const connect = async () => { runs++; await pause(50); return work(); };
  const ask = (caller) => {
    lock.sureOnce(connect, "connection").then((value) => { told[caller] = `success, ${value}`; },
                                              (error) => { told[caller] = error.message; });
  };
  ask(0);
  ask(1);
  await pause(200);
  ask(2);
  await pause(200);
  const left = lock.q.get("connection").fns.length;
  console.log(`${title}: the first is told "${told[0]}", who asks meanwhile "${told[1]}", later "${told[2]}"; ${runs} run, ${left} in the queue`);
}

(async () => {
  await run("the connection fails", () => { throw new Error("no connection"); });
  await run("it succeeds", () => "connected");
})();
PROGRAM

as_stated 'the connection fails: the first is told "no connection", who asks meanwhile "success, undefined", later "nothing"; 1 run, 1 in the queue
it succeeds: the first is told "success, connected", who asks meanwhile "success, undefined", later "nothing"; 1 run, 1 in the queue' "$(node "$tmp/once.js")"
