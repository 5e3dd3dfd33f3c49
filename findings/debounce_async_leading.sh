#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: debounce-async 0.0.2 (npm).
# Expected: the README says that `leading` invokes on the leading edge, with the signature of lodash's debounce. A call that
#   comes long after the last one begins a new group, so it is invoked at once.
# Really: a call on the leading edge does not end its group, and no time does. The next one, whenever it comes, counts as a
#   later one of the same group and waits; only that ends it. Of calls that come far from each other each second one is
#   late by the whole wait.
# Seen: the lines at the end of this script: the wait is 2 s, and calls are 4.5 s apart. Control: without `leading` each
#   of them waits, as it should.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages debounce-async@0.0.2

cat >"$tmp/program.js" <<'PROGRAM'
const {default: debounce} = require("debounce-async");
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

// Four calls; half a second after each one it has run or not.
async function run(title, leading, gap) {
  const ran = [];
  const debounced = debounce(async (name) => { ran.push(name); }, 2000, {leading});
  const lines = [];
  for (const name of ["first", "second", "third", "fourth"]) {
    debounced(name).catch(() => {});
    await pause(500);
    lines.push(ran.includes(name) ? "at once" : "later");
    await pause(gap);
  }
  console.log(`${title}: ${lines.join(", ")}; ran ${ran.join(" ")}`);
}

(async () => {
  await Promise.all([run("leading, calls 4.5 s apart", true, 4000), run("control, not leading", false, 4000)]);
})();
PROGRAM

as_stated 'leading, calls 4.5 s apart: at once, later, at once, later; ran first second third fourth
control, not leading: later, later, later, later; ran first second third fourth' "$(node "$tmp/program.js")"
