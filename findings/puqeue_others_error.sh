#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: puqeue 1.1.8 (npm).
# Expected: add() returns a promise for its own function: it is fulfilled with its value, or rejected with its error.
# Really: a function in the queue is started by the end of the one before it, within the promise of that one. If it
#   throws before it returns a promise its error goes to the one before, whose work had succeeded. Who added it is told
#   nothing and waits for ever. If nothing runs when it is added it is told its error, but its place is not given back:
#   a queue of one runs nothing any more.
# Seen: the lines at the end of this script: B fails, between A and C. Controls: B is an async function.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages puqeue@1.1.8

cat >"$tmp/error.mjs" <<'PROGRAM'
import Puqeue from "puqeue";
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

async function run(title, names, fail) {
  const queue = new Puqeue();
  const told = {};
  const works = {A: async () => { await pause(50); return "a"; }, B: fail, C: async () => "c"};
  for (const name of names) {
    told[name] = "nothing";
    queue.add(works[name]).then((value) => { told[name] = `its value ${value}`; },
                                (error) => { told[name] = error.message; });
  }
  await pause(2000);
  console.log(`${title}: ${names.map((name) => `${name} is told ${told[name]}`).join(", ")}`);
}

const thrown = () => { throw new Error("the error of B"); };
await run("B throws", ["A", "B", "C"], thrown);
await run("B throws and is the first one", ["B", "C"], thrown);
await run("control, B is an async function", ["A", "B", "C"], async () => thrown());
await run("control, B is an async function and the first one", ["B", "C"], async () => thrown());
PROGRAM

as_stated 'B throws: A is told the error of B, B is told nothing, C is told its value c
B throws and is the first one: B is told the error of B, C is told nothing
control, B is an async function: A is told its value a, B is told the error of B, C is told its value c
control, B is an async function and the first one: B is told the error of B, C is told its value c' \
    "$(cd "$tmp" && node error.mjs)"
