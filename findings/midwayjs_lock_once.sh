#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: @midwayjs/simple-lock 1.2.2 (npm).
# Expected: sureOnce(fn) runs a function once, and who asks meanwhile has its result; if it failed, he is told.
# Really: who asks meanwhile is told success, with undefined, whether it succeeded or failed.
# Seen: the lines at the end of this script. Control: the first caller.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages @midwayjs/simple-lock@1.2.2

cat >"$tmp/once.js" <<'PROGRAM'
const Lock = require("@midwayjs/simple-lock").default;
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

async function run(title, work) {
  const lock = new Lock();
  let runs = 0;
  const told = ["nothing", "nothing"];
  const connect = async () => { runs++; await pause(50); return work(); };
  const ask = (caller) => {
    lock.sureOnce(connect, "connection").then((value) => { told[caller] = `success, ${value}`; },
                                              (error) => { told[caller] = error.message; });
  };
  ask(0);
  ask(1);
  await pause(500);
  console.log(`${title}: the first is told "${told[0]}", who asks meanwhile "${told[1]}"; ${runs} run`);
}

(async () => {
  await run("the connection fails", () => { throw new Error("no connection"); });
  await run("it succeeds", () => "connected");
})();
PROGRAM

as_stated 'the connection fails: the first is told "no connection", who asks meanwhile "success, undefined"; 1 run
it succeeds: the first is told "success, connected", who asks meanwhile "success, undefined"; 1 run' "$(node "$tmp/once.js")"
