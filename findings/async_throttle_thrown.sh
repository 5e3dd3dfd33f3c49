#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: @jcoreio/async-throttle 1.7.0 (npm).
# Expected: the README says that a throttled function invokes its function at most once per "wait" milliseconds. Calls
#   that come earlier wait, and are one call.
# Really: the time of the wait begins when the function has returned. One that throws before it returns a promise begins
#   none: each call that comes after it invokes the function at once, as often as it throws. What is throttled while all
#   is well, a request to a server for example, is not throttled any more when it fails. An async function that throws
#   the same error is throttled.
# Seen: the lines at the end of this script. Controls: an async function that throws; a function that does not throw.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages @jcoreio/async-throttle@1.7.0

cat >"$tmp/thrown.js" <<'PROGRAM'
const throttle = require("@jcoreio/async-throttle");
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

// Once a second. 20 calls, each 100 ms after the one before.
async function run(title, work) {
  let invoked = 0;
  const throttled = throttle(() => {
    ++invoked;
    return work();
  }, 1000);
  for (let call = 0; call < 20; ++call) {
    throttled().catch(() => {});
    await pause(100);
  }
  return `${title}: ${invoked > 4 ? "more than 4" : "at most 4"} invocations in 2 s`
    + (invoked >= 20 ? ", one for each of 20 calls" : "");
}

(async () => {
  const fails = () => { throw new Error("not today"); };
  const lines = await Promise.all([
    run("a function that throws", fails),
    run("control, an async function that throws", async () => fails()),
    run("control, a function that does not throw", () => 1),
  ]);
  console.log(lines.join("\n"));
})();
PROGRAM

as_stated 'a function that throws: more than 4 invocations in 2 s, one for each of 20 calls
control, an async function that throws: at most 4 invocations in 2 s
control, a function that does not throw: at most 4 invocations in 2 s' "$(node "$tmp/thrown.js")"
