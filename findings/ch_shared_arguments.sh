#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: ch 0.3.0 (npm).
# Expected: the README says that a callback gets its release function in front of the arguments that were stated for it,
#   or for its category.
# Really: the release function is put into the stated array itself. When one array serves for several calls, as the one of
#   a category does, each callback has the release functions of all that began before it between its own and its
#   arguments. A callback that takes its first argument as its data gets the release function of another one.
# Seen: the lines at the end of this script: three callers, one at a time, with the argument "job". Control: an array for
#   each call.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages ch@0.3.0

cat >"$tmp/shared.js" <<'PROGRAM'
const {ch} = require("ch");
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

async function run(title, category, arrays) {
  ch.setMax(category, 1);
  const got = [];
  for (const parameters of arrays) {
    ch.queue({category, arguments: parameters, callback: (release, ...rest) => {
      got.push(rest.map((one) => typeof one === "function" ? "a release" : one).join(" and "));
      setTimeout(release, 50);
    }});
  }
  await pause(2000);
  console.log(`${title}: beside their release they get: ${got.join("; ")}`);
}

(async () => {
  const shared = ["job"];
  await run("one array", "a", [shared, shared, shared]);
  ch.setCategoryDefaults("b", {arguments: ["job"]});
  await run("the array of the category", "b", [undefined, undefined, undefined]);
  await run("control, an array for each", "c", [["job"], ["job"], ["job"]]);
})();
PROGRAM

as_stated 'one array: beside their release they get: job; a release and job; a release and a release and job
the array of the category: beside their release they get: job; a release and job; a release and a release and job
control, an array for each: beside their release they get: job; job; job' \
    "$(NODE_PATH="$tmp/node_modules" node "$tmp/shared.js")"
