#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: lightning-pool 4.14.0 (npm).
# Expected: a pool lends a resource to one caller at a time. `max` is an option that may be changed while the pool works.
# Really: a resource that has just been made goes to the idle list, which serves the queue, and then to the caller it was
#   made for. Below the old limit the queue is empty then. If `max` was raised while the resource was being made, the
#   first of the queue is handed it, and so is the caller: two callers hold one resource, and the pool counts one. The
#   first release lends it to a third, beside the second.
# Seen: the lines at the end of this script. Controls: `max` is raised before, and after, the resource is made; it is
#   2 from the beginning.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages lightning-pool@4.14.0

cat >"$tmp/raised.mjs" <<'PROGRAM'
import {Pool} from "lightning-pool";

const settled = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

// A and B ask, then C. `max` becomes 2 at the moment that `raise` names.
async function run(title, max, raise) {
  const makers = [];
  let made = 0;
  const pool = new Pool({
    create: () => new Promise((resolve) => makers.push(() => resolve({name: `resource ${++made}`}))),
    destroy: async () => {},
  }, {max});
  const held = [];
  const raised = async (moment) => {
    if (raise === moment) {
      pool.options.max = 2;
    }
    await settled();
  };
  const ask = async (caller) => {
    pool.acquire().then((resource) => held.push({caller, resource}));
    await settled();
  };
  await raised("before anybody asks");
  await ask("A");
  await ask("B");
  await raised("while it is made");
  while (makers.length) {
    makers.shift()();
    await settled();
  }
  await raised("when it is made");
  const told = held.map(({caller, resource}) => `${caller} ${resource.name}`).sort().join(", ");
  const counted = `acquired ${pool.acquired} of ${pool.size}`;
  const first = held.find(({caller}) => caller === "A");
  pool.release(first.resource);
  await ask("C");
  while (makers.length) {
    makers.shift()();
    await settled();
  }
  const shared = held.filter(({caller, resource}) => caller !== "A" && resource === first.resource);
  console.log(`${title}: ${told}; ${counted}; A has released, its resource is held by ` +
              (shared.map(({caller}) => caller).sort().join(" and ") || "nobody"));
}

await run("max 1, raised while it is made", 1, "while it is made");
await run("control, raised before", 1, "before anybody asks");
await run("control, raised after", 1, "when it is made");
await run("control, max 2", 2);
process.exit(0);
PROGRAM

as_stated 'max 1, raised while it is made: A resource 1, B resource 1; acquired 1 of 1; A has released, its resource is held by B and C
control, raised before: A resource 1, B resource 2; acquired 2 of 2; A has released, its resource is held by C
control, raised after: A resource 1; acquired 1 of 1; A has released, its resource is held by B
control, max 2: A resource 1, B resource 2; acquired 2 of 2; A has released, its resource is held by C' \
    "$(cd "$tmp" && node raised.mjs)"
