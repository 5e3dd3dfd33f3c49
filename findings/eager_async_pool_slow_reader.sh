#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: eager-async-pool 1.0.0 (npm).
# Expected: the README loops over asyncPool(executor, items) with "for await": each turn has the index, the item and the
#   value or the error of one item.
# Really: the end of an item that comes while the reader is busy stays signalled after the item was read. The next turn
#   comes at once and has nothing in it: three items are four turns, and the loop of the README, which takes each turn
#   apart, ends with a TypeError.
# Seen: the lines at the end of this script. Control: the reader is never busy. (The turns are asked for one by one, as
#   "for await" does it.)

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages eager-async-pool@1.0.0

cat >"$tmp/slow.js" <<'PROGRAM'
const {asyncPool} = require("eager-async-pool");
const later = () => new Promise((resolve) => setTimeout(resolve, 1));

// Three items run at once. B ends while the reader works on A, or after the reader has asked for it.
async function run(title, busy) {
  const end = {};
  const work = (item) => new Promise((resolve) => (end[item] = () => resolve(`value of ${item}`)));
  const turns = asyncPool(work, ["A", "B", "C"], {limit: 3})[Symbol.asyncIterator]();
  const told = [];
  const ask = () => turns.next().then(({done, value}) => told.push(done ? "the end" : value ? value.value : `${value}`));
  const a = ask();
  await later();
  end.A();
  await a;
  if (busy) end.B();
  await later();
  const b = ask();
  await later();
  if (!busy) end.B();
  await b;
  const c = ask();
  await later();
  console.log(`${title}: before C has ended the reader has: ${told.join(", ")}`);
  end.C();
  await c;
  await later();
  await ask();
  console.log(`  in the end: ${told.join(", ")}`);
}

(async () => {
  await run("B ends while the reader works on A", true);
  await run("control, the reader is never busy", false);
})();
PROGRAM

as_stated 'B ends while the reader works on A: before C has ended the reader has: value of A, value of B, undefined
  in the end: value of A, value of B, undefined, value of C
control, the reader is never busy: before C has ended the reader has: value of A, value of B
  in the end: value of A, value of B, value of C, the end' "$(node "$tmp/slow.js")"
