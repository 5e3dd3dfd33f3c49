#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: @cheap-glitch/mi-cron 1.0.1 (npm).
# Expected: the README says that it parses standard cron expressions. There "jan" is the month 1, and names may be used
#   for months as for weekdays; the package knows both.
# Really: a name becomes its place in the list of names, which begins with 0 for both lists. Each name of a month is the
#   month before: "feb" is January, "jan" is December, apr-jun is March to May. The job runs, a month too early.
# Seen: the lines at the end of this script. Controls: the same months by their numbers; the names of weekdays.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages @cheap-glitch/mi-cron@1.0.1

cat >"$tmp/program.js" <<'PROGRAM'
const {parseCron} = require("@cheap-glitch/mi-cron");

const names = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const from = new Date("2024-06-15T00:00:00Z");
const next = (expression) => parseCron.nextDate(expression, from).toISOString().slice(0, 16);

// Each by its name and by its number.
for (const number of [1, 2, 7, 12]) {
  const name = names[number - 1];
  console.log(`at noon on the 5th of ${name}: ${next(`0 12 5 ${name} *`)}, by its number: ${next(`0 12 5 ${number} *`)}`);
}
console.log(`each month of apr-jun: ${parseCron("0 0 1 apr-jun *").months}, of 4-6: ${parseCron("0 0 1 4-6 *").months}`);
console.log(`control, each day of mon-fri: ${parseCron("0 0 * * mon-fri").weekDays}`);
PROGRAM

as_stated 'at noon on the 5th of jan: 2024-12-05T12:00, by its number: 2025-01-05T12:00
at noon on the 5th of feb: 2025-01-05T12:00, by its number: 2025-02-05T12:00
at noon on the 5th of jul: 2025-06-05T12:00, by its number: 2024-07-05T12:00
at noon on the 5th of dec: 2024-11-05T12:00, by its number: 2024-12-05T12:00
each month of apr-jun: 3,4,5, of 4-6: 4,5,6
control, each day of mon-fri: 1,2,3,4,5' "$(node "$tmp/program.js")"
