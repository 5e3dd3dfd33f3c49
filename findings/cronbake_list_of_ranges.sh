#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: cronbake 0.4.0 (npm).
# Expected: the README supports ranges, steps and lists. A list may hold ranges and steps, as in each cron: 0,30-33 is
#   the minutes 0, 30, 31, 32 and 33. What the package cannot read is an error, as isValid() would say.
# Really: a field with a "-" in it is read as one range, from the first number to the one behind the first "-". 0,30-33 is
#   each minute from 0 to 33, of 5-10,20-25 and 30-33,0 the second half is gone; a step likewise. It is "valid".
# Seen: the lines at the end of this script. Controls: a list, a range.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages cronbake@0.4.0

cat >"$tmp/program.js" <<'PROGRAM'
const {Cron} = require("cronbake");

for (const field of ["0,30-33", "30-33,0", "5-10,20-25", "*/30,7", "0,30", "30-33"]) {
  const cron = `0 ${field} * * * *`;
  console.log(`${field}, valid ${Cron.isValid(cron)}: ${Cron.parse(cron).minute.join(" ")}`);
}
PROGRAM

as_stated '0,30-33, valid true: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33
30-33,0, valid true: 30 31 32 33
5-10,20-25, valid true: 5 6 7 8 9 10
*/30,7, valid true: 0 30
0,30, valid true: 0 30
30-33, valid true: 30 31 32 33' "$(node "$tmp/program.js")"
