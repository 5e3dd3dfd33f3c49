#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: mongo-lock 0.8.2 (npm), on a collection of tingodb 0.6.1 (npm), which has MongoDB's interface. Nothing here
#   depends on the server: the lock's own steps are an insert, a remove and a wait.
# Expected: the README: a lock that is not renewed times out, and a caller retries for its waiting time.
# Really: a caller looks for a lock that has timed out once, when it arrives. If the holder dies after that, the waiter
#   sleeps beside the dead lock until its own time is over. A newcomer clears the lock away, and the waiter
#   gets it, at once or behind the newcomer.
# Seen: the lines at the end of this script. Controls: the lock has timed out before the caller arrives; the holder
#   releases in time; a newcomer comes.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages mongo-lock@0.8.2 tingodb@0.6.1

cat >"$tmp/expired.js" <<'PROGRAM'
const fs = require("fs"), path = require("path");
const MongoLock = require("mongo-lock");
const tingodb = require("tingodb")();

const passed = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

// A takes the lock for `lasts`. B asks after `comes` and would wait for a minute. What has happened to B is told a second
// after A's lock has timed out.
async function run(title, {lasts, comes, releases, newcomer}) {
  const folder = path.join(__dirname, title.replace(/\W/g, "_"));
  fs.mkdirSync(folder);
  const locks = new MongoLock(new tingodb.Db(folder, {}).collection("locks"));
  const get = (owner, wait, lease) => new Promise((resolve) =>
    locks.getLock("job", owner, wait, lease, (error) => resolve(error ? "refused" : "granted")));
  await get("A", 0, lasts);
  await passed(comes);
  let told = "sleeps";
  get("B", 60_000, 60_000).then((answer) => { told = answer; });
  if (releases) {
    await passed(50);
    await new Promise((resolve) => locks.releaseLock("job", "A", resolve));
  }
  await passed(lasts + 1000);
  if (newcomer) {
    if (await get("C", 0, 60_000) === "granted") {
      await new Promise((resolve) => locks.releaseLock("job", "C", resolve));
    }
    await passed(1000);
  }
  console.log(`${title}: B ${told}`);
}

(async () => {
  await run("the lock times out while B waits", {lasts: 500, comes: 0});
  await run("control, before B comes", {lasts: 50, comes: 500});
  await run("control, A releases in time", {lasts: 1000, comes: 0, releases: true});
  await run("control, a newcomer comes", {lasts: 500, comes: 0, newcomer: true});
  process.exit(0);
})();
PROGRAM

as_stated 'the lock times out while B waits: B sleeps
control, before B comes: B granted
control, A releases in time: B granted
control, a newcomer comes: B granted' \
    "$(NODE_PATH="$tmp/node_modules" node "$tmp/expired.js")"
