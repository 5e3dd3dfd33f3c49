#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: @jupiterone/hierarchical-token-bucket 0.3.1 (npm).
# Expected: the README says that the package honours nested limits, as those of an account above those of its services,
#   and that each caller waits for the time that take() returns. An account of 10 with 10 in 1 s never sees more than 20
#   calls in a second.
# Really: the account's token is taken when a caller asks, not when it may go, and the longer of both waits is returned.
#   Callers who wait for their service have paid the account long before, and what is promised for one instant adds up:
#   fifty services of 1 in 10 s that make two calls each make fifty at the same instant, and ten newcomers go beside them.
# Seen: the lines at the end of this script, by a clock that the script turns. Control: the same calls without services.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages @jupiterone/hierarchical-token-bucket@0.3.1

cat >"$tmp/parent.js" <<'PROGRAM'
const {HierarchicalTokenBucket} = require("@jupiterone/hierarchical-token-bucket");

let now = 1e12;
Date.now = () => now;

// The most calls that go in any one second; times in seconds.
function most(times) {
  return Math.max(...times.map((from) => times.filter((time) => time >= from && time < from + 1).length));
}

function run(title, makeService) {
  now = 1e12;
  const account = new HierarchicalTokenBucket({maximumCapacity: 10, refillRate: 10});
  const services = Array.from({length: 50}, () => makeService(account));
  const goes = [];
  const take = (bucket) => goes.push((now - 1e12 + bucket.take()) / 1000);
  services.forEach(take);
  services.forEach(take);
  console.log(`${title}: of 100 calls ${most(goes)} go in one second`);
  now += 10000;
  for (let newcomer = 0; newcomer < 10; newcomer++) take(account);
  console.log(`  with ten newcomers after ten seconds: ${most(goes)}`);
}

run("fifty services of 1 in 10 s", (account) => account.child({maximumCapacity: 1, refillRate: 0.1}));
run("control, the account alone", (account) => account);
PROGRAM

as_stated 'fifty services of 1 in 10 s: of 100 calls 50 go in one second
  with ten newcomers after ten seconds: 60
control, the account alone: of 100 calls 19 go in one second
  with ten newcomers after ten seconds: 19' "$(node "$tmp/parent.js")"
