#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Packages: leaky-bucket-queue 0.0.2 and rxjs 6.6.7 (npm).
# Expected: a queue with burstSize 3 gives on at most 3 items at once, and then one in each period, whatever an item is.
# Really: an item that is 0 or an empty string counts as an empty queue. It is taken out, given to nobody, and a place
#   is added to the bucket instead. The bucket then has more places than the burst size. It stops filling when it has
#   exactly that many, so that it never stops any more: after a rest of twenty periods a burst of 20 passes. An index
#   that begins at 0 is enough.
# Seen: the lines at the end of this script. Controls: the items are 1, 2 and 3; none came before the rest.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages leaky-bucket-queue@0.0.2 rxjs@6.6.7

cat >"$tmp/zero.js" <<'PROGRAM'
const {LeakyBucketQueue} = require("leaky-bucket-queue");
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

// Three in a burst, one more in 200 ms. Some items come, then nothing for six seconds, then twenty at once.
async function run(title, items) {
  const queue = new LeakyBucketQueue({burstSize: 3, period: 200});
  const given = [];
  queue.consume().subscribe((item) => given.push(item));
  items.forEach((item) => queue.enqueue(item));
  await pause(6000);
  const before = given.length;
  for (let index = 100; index < 120; ++index) {
    queue.enqueue(index);
  }
  const burst = given.length - before;
  queue.stop();
  const seen = given.slice(0, before).map((item) => JSON.stringify(item)).join(" ") || "none";
  return `${title}: given on ${seen}, then ${burst} at once`;
}

(async () => {
  const lines = await Promise.all([
    run("0, 1 and 2", [0, 1, 2]),
    run("an empty string", [""]),
    run("control, 1, 2 and 3", [1, 2, 3]),
    run("control, no items", []),
  ]);
  console.log(lines.join("\n"));
  process.exit();
})();
PROGRAM

as_stated '0, 1 and 2: given on 1 2, then 20 at once
an empty string: given on none, then 20 at once
control, 1, 2 and 3: given on 1 2 3, then 3 at once
control, no items: given on none, then 3 at once' "$(node "$tmp/zero.js")"
