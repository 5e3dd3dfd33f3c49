#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: generic-promise-pool 1.2.2 (npm).
# Expected: a holder that finds its resource broken calls destroy(), which "docs.md" describes as the removal of the
#   resource from the pool. The resource is not lent again, and the pool has at most `max`.
# Really: that a resource is destroyed is noted when its destruction has ended, and the return of the holder's function
#   gives the resource back before that. The next caller is lent the destroyed one, and the pool counts one too few: of
#   at most 1 there are 2 in use.
# Seen: the lines at the end of this script. Control: the holder waits for destroy().

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages generic-promise-pool@1.2.2

cat >"$tmp/destroyed.js" <<'PROGRAM'
const genericPool = require("generic-promise-pool");
const later = () => new Promise((resolve) => setTimeout(resolve, 1));

async function run(title, waits) {
  let made = 0, using = 0, most = 0;
  const pool = genericPool.create({
    max: 1,
    create: () => ({name: `resource ${++made}`, open: true}),
    destroy: async (resource) => {
      resource.open = false;
      await later();
    },
  });
  await pool.acquire(async (resource) => {
    const destroyed = pool.destroy(resource);
    if (waits) await destroyed;
  });
  const lent = [];
  const hold = async (resource) => {
    lent.push(`${resource.name}, ${resource.open ? "open" : "destroyed"}`);
    most = Math.max(most, ++using);
    for (let turn = 0; turn < 20; turn++) await later();
    using--;
  };
  await Promise.all([pool.acquire(hold), pool.acquire(hold)]);
  console.log(`${title}: lent ${lent.join("; ")}; ${most} in use at a time`);
  clearTimeout(pool._removeIdleTimer);
}

(async () => {
  await run("the holder returns at once", false);
  await run("control, it waits for destroy()", true);
})();
PROGRAM

as_stated 'the holder returns at once: lent resource 1, destroyed; resource 2, open; 2 in use at a time
control, it waits for destroy(): lent resource 2, open; resource 2, open; 1 in use at a time' "$(node "$tmp/destroyed.js")"
