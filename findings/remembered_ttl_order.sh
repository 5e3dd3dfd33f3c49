#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: remembered 1.0.0 (npm).
# Expected: "ttl" may be a function of the key, and get() takes a ttl of its own. A result is served for its ttl, and
#   then the callback is called anew.
# Really: results are purged in the order in which they came, by one task that waits for the first. One of 0.3 s that
#   came behind one of 4 s is purged behind it, and is served until then. Where the long one is of a day, each short one
#   that came after it is a day old in the end.
# Seen: the lines at the end of this script. Controls: the short one came first; it is alone.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages remembered@1.0.0

cat >"$tmp/order.js" <<'PROGRAM'
const {Remembered} = require("remembered");
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

// Results of 4 s and of 0.3 s come in the stated order. The value of the short one is asked for 1.5 s later.
async function run(title, keys, single) {
  const ttl = (key) => (key === "long" ? 4000 : 300);
  const remembered = new Remembered({ttl: single ? 60000 : ttl});
  const get = (key, value) => remembered.get(key, async () => value, undefined, single ? ttl(key) : undefined);
  for (const key of keys) {
    await get(key, "old");
  }
  await pause(1500);
  const later = await get("short", "new");
  await pause(4500);
  return `${title}: ${later} after 1.5 s, ${await get("short", "newer")} after 6 s`;
}

(async () => {
  const lines = await Promise.all([
    run("behind one of 4 s, a function", ["long", "short"], false),
    run("behind one of 4 s, a ttl of the call", ["long", "short"], true),
    run("control, before one of 4 s", ["short", "long"], false),
    run("control, alone", ["short"], false),
  ]);
  console.log(lines.join("\n"));
  process.exit();
})();
PROGRAM

as_stated 'behind one of 4 s, a function: old after 1.5 s, newer after 6 s
behind one of 4 s, a ttl of the call: old after 1.5 s, newer after 6 s
control, before one of 4 s: new after 1.5 s, newer after 6 s
control, alone: new after 1.5 s, newer after 6 s' "$(node "$tmp/order.js")"
