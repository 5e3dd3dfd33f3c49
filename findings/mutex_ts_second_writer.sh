#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: mutex-ts 1.0.3 (npm; its MutexRW).
# Expected: the README says that MutexRW supports several readers and a single writer. A reader who comes while
#   a writer holds waits for the writer's release.
# Really: a flag says whether somebody writes. Each release puts it down a moment later, and the next writer
#   puts it up when it is woken. A writer who queued before the first one was served is woken before that
#   moment, so its flag is put down under it: readers get in beside the second writer.
# Seen: the lines at the end of this script. Control: the second writer asks when the first one holds already.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages mutex-ts@1.0.3

cat >"$tmp/writers.js" <<'PROGRAM'
const {MutexRW} = require("mutex-ts");
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

// Whether a reader gets in within 0.2 s. It leaves at once.
async function ask(lock) {
  let seen = "waits";
  lock.obtainRO().then((release) => { seen = "granted"; release(); });
  await pause(200);
  return seen;
}

async function run(title, asksAtOnce) {
  const lock = new MutexRW();
  const asked = [lock.obtainRW()];
  if (asksAtOnce) asked.push(lock.obtainRW());
  const release = await asked[0];
  if (!asksAtOnce) asked.push(lock.obtainRW());
  release();
  await asked[1];
  console.log(`${title}: second writer holds, reader ${await ask(lock)}`);
}

run("two writers ask at once", true).then(() => run("control, one after the other", false));
PROGRAM

as_stated 'two writers ask at once: second writer holds, reader granted
control, one after the other: second writer holds, reader waits' "$(node "$tmp/writers.js")"
