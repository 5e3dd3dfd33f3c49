#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Packages: etcd3 1.1.2 (npm; with @grpc/grpc-js 1.14.3) with etcd 3.4.23 (Debian 12).
# Expected: the page of the class Lock says that acquire() refuses when it cannot take the lock, that release() frees
#   it, and that do() releases it when its function is over. A refused call changes nothing.
# Really: the object keeps one lease, that of its last acquire(). Two calls through one object overlap: the second one
#   is refused, and the first one's release then gives up the lease of the second. It says that all is well. The first
#   lease is renewed as long as the program lives, and with it the lock: each later call is refused, by any client. In
#   the test the lock has a time of 2 s and is there after 5 s.
# Seen: the lines at the end of this script. Controls: an object for each call; calls through one object in turn.

set -euo pipefail
source "$(dirname "$0")/common.sh"
start_etcd
npm_packages etcd3@1.1.2 @grpc/grpc-js@1.14.3

cat >"$tmp/shared.js" <<'PROGRAM'
const {Etcd3} = require("etcd3");
const client = () => new Etcd3({hosts: process.env.ETCDCTL_ENDPOINTS});
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const own = client(), other = client();

// A call of do() whose function runs until it is told to end.
function call(lock) {
  const it = {};
  it.over = lock.do(() => {
    it.runs();
    return new Promise((resolve) => { it.end = resolve; });
  }).then(() => "is done", (error) => error.constructor.name);
  it.ran = new Promise((resolve) => { it.runs = resolve; });
  return it;
}

async function ask(lock) {
  const it = call(lock);
  it.ran.then(() => it.end());
  return it.over;
}

async function run(title, lock, overlap, waits) {
  const first = call(lock());
  await first.ran;
  console.log(title);
  if (overlap) {
    console.log("  second, beside the first:", await ask(lock()));
  }
  first.end();
  console.log("  first:", await first.over);
  await pause(waits);
  console.log("  next:", await ask(lock()));
  console.log("  another client:", await ask(other.lock(title)));
  console.log("  the key is there:", (await other.get(title)) !== null);
}

(async () => {
  const shared = own.lock("one object").ttl(2);
  await run("one object", () => shared, true, 5000);
  const title = "control: an object for each call";
  await run(title, () => own.lock(title).ttl(2), true, 0);
  const turns = own.lock("control: one object, in turn").ttl(2);
  await run("control: one object, in turn", () => turns, false, 0);
  process.exit();
})();
PROGRAM

as_stated 'one object
  second, beside the first: EtcdLockFailedError
  first: is done
  next: EtcdLockFailedError
  another client: EtcdLockFailedError
  the key is there: true
control: an object for each call
  second, beside the first: EtcdLockFailedError
  first: is done
  next: is done
  another client: is done
  the key is there: false
control: one object, in turn
  first: is done
  next: is done
  another client: is done
  the key is there: false' "$(node "$tmp/shared.js")"
