#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: throttle-queue 0.1.0 (npm).
# Expected: the README says that clear() takes the waiting jobs away and does not disturb those that run. `concurrency`
#   is the number of jobs that run at once, and a job whose id is there already joins it instead of running again.
# Really: clear() forgets the running jobs as well. They run on, their places are given away at once, and after each
#   clear() as many jobs more run beside them. A job that is asked for again under the id of a running one runs twice at
#   once.
# Seen: the lines at the end of this script. Controls: the same without clear(); clear() when nothing runs.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages throttle-queue@0.1.0

cat >"$tmp/clear.js" <<'PROGRAM'
const Queue = require("throttle-queue");
const settled = () => new Promise((resolve) => setImmediate(resolve));

// The jobs asked for in this order; "clear" stands for a call of clear(). Each job runs until all have been asked for,
// then the one that began first ends, and so on.
async function run(title, concurrency, asked) {
  const queue = new Queue({concurrency});
  const running = [];
  let most = 0, runs = 0;
  const told = [];
  queue.setExecutor(({name}) => {
    runs++;
    return new Promise((resolve) => {
      running.push({name, end: () => resolve(name)});
      most = Math.max(most, running.length);
    });
  });
  for (const name of asked) {
    if (name === "clear") {
      queue.clear();
    } else {
      queue.process({name}, name).then(() => told.push(`${name} done`), ({code}) => told.push(`${name} ${code}`));
    }
    await settled();
  }
  const inside = running.map(({name}) => name).join(" ") || "nobody";
  while (running.length) {
    running.shift().end();
    await settled();
  }
  console.log(`${title}: at once ${inside}, at most ${most}; runs ${runs}; ${told.join(", ")}`);
}

(async () => {
  await run("one place, clear()", 1, ["A", "B", "clear", "C"]);
  await run("one place, clear() twice", 1, ["A", "clear", "B", "clear", "C"]);
  await run("two places, clear(), the same id", 2, ["A", "clear", "A"]);
  await run("control, one place", 1, ["A", "B", "C"]);
  await run("control, two places, the same id", 2, ["A", "A"]);
  await run("control, nothing runs", 1, ["clear", "A", "B"]);
})();
PROGRAM

as_stated 'one place, clear(): at once A C, at most 2; runs 2; B QUEUE_CLEARED, A done, C done
one place, clear() twice: at once A B C, at most 3; runs 3; A done, B done, C done
two places, clear(), the same id: at once A A, at most 2; runs 2; A done, A done
control, one place: at once A, at most 1; runs 3; A done, B done, C done
control, two places, the same id: at once A, at most 1; runs 1; A done, A done
control, nothing runs: at once A, at most 1; runs 2; A done, B done' \
    "$(NODE_PATH="$tmp/node_modules" node "$tmp/clear.js")"
