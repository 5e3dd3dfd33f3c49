#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: @esfx/async-readerwriterlock 1.0.0-pre.8 (npm, its only version).
# Expected: what upgradeableRead() takes can be upgraded to a write lock, as its description says; write() waits while
#   somebody reads.
# Really: an upgrade waits until nobody reads, and counts its own reader: it is never granted, not even to the only reader
#   of all, and from then on newcomers wait for it. A write() beside an upgradeable reader does not wait: it is refused
#   with "Lock already released.".
# Seen: the lines at the end of this script. Controls: the same with plain readers.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages @esfx/async-readerwriterlock@1.0.0-pre.8

cat >"$tmp/upgrade.js" <<'PROGRAM'
const {AsyncReaderWriterLock} = require("@esfx/async-readerwriterlock");
const settled = () => new Promise((resolve) => setTimeout(resolve, 50));

async function told(asked) {
  let answer = "waits";
  asked.then((handle) => { answer = "granted"; return handle; }, (error) => { answer = `refused, ${error.message}`; });
  await settled();
  return () => answer;
}

(async () => {
  const alone = new AsyncReaderWriterLock();
  const reader = await alone.upgradeableRead();
  const upgrade = await told(reader.upgrade());
  const newcomer = await told(alone.read());
  console.log(`the only reader: upgrade ${upgrade()}; a newcomer who reads ${newcomer()}`);

  const beside = new AsyncReaderWriterLock();
  await beside.upgradeableRead();
  console.log(`write beside an upgradeable reader: ${(await told(beside.write()))()}`);

  const plain = new AsyncReaderWriterLock();
  const plainReader = await plain.read();
  const write = await told(plain.write());
  const before = write();
  plainReader.unlock();
  await settled();
  console.log(`control, write beside a reader: ${before}; the reader has gone: ${write()}`);
})();
PROGRAM

as_stated 'the only reader: upgrade waits; a newcomer who reads waits
write beside an upgradeable reader: refused, Lock already released.
control, write beside a reader: waits; the reader has gone: granted' \
    "$(NODE_PATH="$tmp/node_modules" node "$tmp/upgrade.js")"
