#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: tokenbucket 0.3.2 (npm).
# Expected: the README says that tokens removed in a child are also removed in its parent, and that the children get
#   limited too when the parent reaches its limit. An empty parent that adds 1 token in 1 s gives 1 in 1 s.
# Really: two callers of one child wait for the parent. When the second one gets its token the child has become empty,
#   so the token goes back. With it the time of the parent's last filling goes back to what it was before the wait,
#   and the parent adds the tokens of all that time again: after 4.5 s it has given 6. A child under load lets its
#   parent exceed the limit that the hierarchy is for.
# Seen: the lines at the end of this script. Controls: one caller of the child; both callers ask the parent itself.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages tokenbucket@0.3.2

cat >"$tmp/refund.js" <<'PROGRAM'
const TokenBucket = require("tokenbucket");
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

// An empty parent that gets 1 token in 1 s, a child that has one for a minute. After 4.5 s the rest is taken at once.
async function run(title, callers, fromParent) {
  const parent = new TokenBucket({size: 100, tokensToAddPerInterval: 1, interval: 1000, spread: true, tokensLeft: 0});
  const child = new TokenBucket({size: 1, interval: "minute", parentBucket: parent});
  const began = Date.now();
  let taken = 0;
  for (let index = 0; index < callers; ++index) {
    (fromParent ? parent : child).removeTokens(1).then(() => { ++taken; });
  }
  await pause(4500);
  while (parent.removeTokensSync(1)) {
    ++taken;
  }
  const seconds = Math.floor((Date.now() - began) / 1000);
  console.log(`${title}: ${taken - seconds} more than one a second`);
}

(async () => {
  await Promise.all([
    run("2 callers of a child", 2, false),
    run("control, 1 caller of a child", 1, false),
    run("control, 2 callers of the parent", 2, true),
  ]);
  process.exit();
})();
PROGRAM

as_stated '2 callers of a child: 2 more than one a second
control, 1 caller of a child: 0 more than one a second
control, 2 callers of the parent: 0 more than one a second' "$(node "$tmp/refund.js")"
