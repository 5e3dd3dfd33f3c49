#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: read-write-mutexify 2.1.0 (npm).
# Expected: destroy(err) tells that error to all who wait; `read.locked` says whether a reader would have to wait.
# Really: with an error destroy() ends with a TypeError of its own, and nobody who waits is told anything. `read.locked` is
#   undefined, also while somebody writes.
# Seen: the lines at the end of this script, while a writer holds. Control: destroy() without an error.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages read-write-mutexify@2.1.0

cat >"$tmp/destroyed.js" <<'PROGRAM'
const ReadWriteLock = require("read-write-mutexify");
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

async function run(title, error) {
  const lock = new ReadWriteLock();
  await lock.write.lock();
  const locked = `write.locked is ${lock.write.locked}, read.locked is ${lock.read.locked}`;
  const told = {reader: "nothing", writer: "nothing"};
  lock.read.lock().then(() => { told.reader = "granted"; lock.read.unlock(); }, (reason) => { told.reader = reason.message; });
  lock.write.lock().then(() => { told.writer = "granted"; lock.write.unlock(); }, (reason) => { told.writer = reason.message; });
  let end = "returns";
  try {
    lock.destroy(error).catch(() => {});
  } catch (failure) {
    end = `throws a ${failure.constructor.name}`;
  }
  await pause(50);
  console.log(`${title}: ${locked}; destroy() ${end}, the reader is told ${told.reader}, the writer ${told.writer}`);
  lock.write.unlock();
  await pause(50);
  console.log(`${title}: when the holder has left the reader is told ${told.reader}, the writer ${told.writer}`);
}

(async () => {
  await run("with an error", new Error("closed"));
  await run("control, without", undefined);
})();
PROGRAM

as_stated 'with an error: write.locked is true, read.locked is undefined; destroy() throws a TypeError, the reader is told nothing, the writer nothing
with an error: when the holder has left the reader is told granted, the writer granted
control, without: write.locked is true, read.locked is undefined; destroy() returns, the reader is told nothing, the writer nothing
control, without: when the holder has left the reader is told granted, the writer granted' "$(node "$tmp/destroyed.js")"
