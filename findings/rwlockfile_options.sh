#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: rwlockfile 2.0.25 (npm).
# Expected: `timeout` in the options of a call is how long that call waits.
# Really: the call counts down in the caller's own object, and doubles its `retryInterval`: a program that keeps its
#   options in one object waits for the whole time once. What the first wait has used is missing to all later ones, and
#   after one that was refused each later one is refused at once, on other files as well.
# Seen: the lines at the end of this script. Control: an object for each call.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages rwlockfile@2.0.25 tslib@1.14.1  # which it needs and does not name

cat >"$tmp/options.js" <<'PROGRAM'
const {RWLockfile} = require("rwlockfile");
const path = require("path");

// Somebody holds both files. A caller waits for the first one in vain; then the holder of the second one releases as
// soon as the caller has been told that it has to wait.
async function run(title, options_of) {
  const at = (name) => path.join(__dirname, `${title.replace(/\W/g, "_")}_${name}`);
  const holders = [new RWLockfile(at("first")), new RWLockfile(at("second"))];
  for (const holder of holders) {
    await holder.add("write");
  }
  const first = await new RWLockfile(at("first")).add("write", options_of())
      .then(() => "granted", (error) => `refused (${error.code})`);
  const second = new RWLockfile(at("second"), {ifLocked: () => { setTimeout(() => holders[1].remove("write"), 20); }});
  const then = await second.add("write", options_of()).then(() => "granted", (error) => `refused (${error.code})`);
  console.log(`${title}: the first file ${first}, the second ${then}`);
  await new Promise((resolve) => setTimeout(resolve, 200));
  await second.unlock();
  await holders[0].unlock();
}

(async () => {
  const shared = {timeout: 2000};
  await run("one object", () => shared);
  console.log(`its timeout is ${shared.timeout < 0 ? "below zero" : shared.timeout}`);
  await run("control, an object for each", () => ({timeout: 2000}));
  process.exit(0);
})();
PROGRAM

as_stated 'one object: the first file refused (ELOCK), the second refused (ELOCK)
its timeout is below zero
control, an object for each: the first file refused (ELOCK), the second granted' \
    "$(NODE_PATH="$tmp/node_modules" node "$tmp/options.js" 2>&1)"
