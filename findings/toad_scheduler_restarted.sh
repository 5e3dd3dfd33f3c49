#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: toad-scheduler 4.1.0 (npm).
# Expected: `preventOverrun: true` (the default): a run of a job does not begin while the previous one still runs.
# Really: start() of a job with `runImmediately` runs it without that look. A job that is stopped and started again
#   during a long run has two runs at once. Whether a run lasts is one yes or no for all: when the first of the two has
#   ended the job counts as idle, and the next turn begins beside the second.
# Seen: the lines at the end of this script. Controls: without the restart; the restart when nothing runs; a job without
#   `runImmediately`.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages toad-scheduler@4.1.0

cat >"$tmp/restarted.js" <<'PROGRAM'
const {AsyncTask, SimpleIntervalJob, ToadScheduler} = require("toad-scheduler");

// Until the job had some turns.
const turns = () => new Promise((resolve) => setTimeout(resolve, 300));

async function run(title, {runImmediately, isIdle, isRestarted}) {
  const scheduler = new ToadScheduler();
  const ends = [];
  let runs = 0, running = 0;
  const task = new AsyncTask("task", () => {
    runs++;
    running++;
    return new Promise((resolve) => ends.push(() => { running--; resolve(); }));
  });
  const end = async () => {
    ends.shift()();
    await new Promise(setImmediate);
  };
  scheduler.addSimpleIntervalJob(
      new SimpleIntervalJob({milliseconds: 20, runImmediately}, task, {id: "job", preventOverrun: true}));
  await turns();
  const told = [`${runs} run`];
  if (isRestarted) {
    scheduler.stopById("job");
    if (isIdle) {
      await end();
    }
    scheduler.startById("job");
  }
  await turns();
  told.push(`${running} at once`);
  await end();
  await turns();
  told.push(`one has ended: ${running} at once, ${runs} runs`);
  scheduler.stop();
  console.log(`${title}: ${told.join("; ")}`);
}

(async () => {
  await run("restarted during a run", {runImmediately: true, isRestarted: true});
  await run("control, not restarted", {runImmediately: true});
  await run("control, restarted between two runs", {runImmediately: true, isRestarted: true, isIdle: true});
  await run("control, not run immediately", {runImmediately: false, isRestarted: true});
  process.exit(0);
})();
PROGRAM

as_stated 'restarted during a run: 1 run; 2 at once; one has ended: 2 at once, 3 runs
control, not restarted: 1 run; 1 at once; one has ended: 1 at once, 2 runs
control, restarted between two runs: 1 run; 1 at once; one has ended: 1 at once, 3 runs
control, not run immediately: 1 run; 1 at once; one has ended: 1 at once, 2 runs' \
    "$(NODE_PATH="$tmp/node_modules" node "$tmp/restarted.js")"
