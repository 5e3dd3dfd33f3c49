#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: level-lock 1.0.1 (npm).
# Expected: the modes are those of a read-write lock: readers share a key, a writer has it for itself. The README compares
#   the locks with flock(2).
# Really: "r" and "w" are two locks that do not know each other. A second reader is refused, and a writer gets in beside a
#   reader, a reader beside a writer. Only "rw" excludes everybody.
# Seen: the lines at the end of this script. Controls: two writers; "rw" beside each mode; the key after a release.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages level-lock@1.0.1

cat >"$tmp/modes.js" <<'PROGRAM'
const lock = require("level-lock");

function second(first, then) {
  const database = {};
  lock(database, "key", first);
  return lock(database, "key", then) ? "gets in" : "is refused";
}

console.log(`a reader beside a reader ${second("r", "r")}`);
console.log(`a writer beside a reader ${second("r", "w")}`);
console.log(`a reader beside a writer ${second("w", "r")}`);
console.log(`control: a writer beside a writer ${second("w", "w")}`);
for (const mode of ["r", "w", "rw"]) {
  console.log(`control: "rw" beside "${mode}" ${second(mode, "rw")}`);
}
const database = {};
lock(database, "key", "w")();
console.log(`control: a writer after a writer ${lock(database, "key", "w") ? "gets in" : "is refused"}`);
PROGRAM

as_stated 'a reader beside a reader is refused
a writer beside a reader gets in
a reader beside a writer gets in
control: a writer beside a writer is refused
control: "rw" beside "r" is refused
control: "rw" beside "w" is refused
control: "rw" beside "rw" is refused
control: a writer after a writer gets in' \
    "$(NODE_PATH="$tmp/node_modules" node "$tmp/modes.js")"
