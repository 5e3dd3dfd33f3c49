#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Packages: @node-idempotency/core 1.0.11, @node-idempotency/storage-adapter-memory 1.0.2 (npm).
# Expected: the documentation of onRequest() says that it throws if the request is already in progress, and the settings
#   have a time to live. After that time the key is new again, also for two that come at the same time.
# Really: the memory storage looks at the time when it reads, and not when it stores what is not there yet. The first
#   request after the end is told that there is an entry, reads it, which removes it, and gets no answer: it goes on and
#   leaves no mark. The second one finds no entry and goes on as well. Two requests of one key run at the same time.
# Seen: the lines at the end of this script. Controls: a key that was never used; a storage that looks at the time in both.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages @node-idempotency/core@1.0.11 @node-idempotency/storage-adapter-memory@1.0.2

cat >"$tmp/expired.js" <<'PROGRAM'
const {Idempotency} = require("@node-idempotency/core");
const {MemoryStorageAdapter} = require("@node-idempotency/storage-adapter-memory");
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

// Reads before it stores, so that what has ended is gone.
class Careful extends MemoryStorageAdapter {
  async setIfNotExists(...parameters) {
    await this.get(parameters[0]);
    return super.setIfNotExists(...parameters);
  }
}

async function run(title, storage) {
  const keys = new Idempotency(storage, {cacheTTLMS: 3000});
  const request = {method: "POST", path: "/pay", headers: {"idempotency-key": "order-1"}, body: {amount: 5}};
  const ask = async () => {
    try {
      return await keys.onRequest(request) === undefined ? "runs" : "gets the answer";
    } catch (error) {
      return error.code;
    }
  };
  console.log(title);
  console.log(`  new key: the first one ${await ask()}, the second one ${await ask()}`);
  await keys.onResponse(request, {body: "paid"});
  console.log(`  it has ended: the next one ${await ask()}`);
  await pause(5000);
  console.log(`  the time is over: the first one ${await ask()}, the second one ${await ask()}`);
}

(async () => {
  await run("memory", new MemoryStorageAdapter());
  await run("control, a storage that looks first", new Careful());
})();
PROGRAM

as_stated 'memory
  new key: the first one runs, the second one REQUEST_IN_PROGRESS
  it has ended: the next one gets the answer
  the time is over: the first one runs, the second one runs
control, a storage that looks first
  new key: the first one runs, the second one REQUEST_IN_PROGRESS
  it has ended: the next one gets the answer
  the time is over: the first one runs, the second one REQUEST_IN_PROGRESS' \
    "$(NODE_PATH="$tmp/node_modules" node "$tmp/expired.js")"
