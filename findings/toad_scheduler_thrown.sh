#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: toad-scheduler 4.1.0 (npm).
# Expected: an AsyncTask whose handler fails is told to its error handler, and the job runs again at its next turn.
# Really: that holds for a rejected promise. If the handler throws before it returns one (it is no async function), the
#   error goes to the caller of executeAsync(), past the error handler, and the task counts as running for ever: with
#   `preventOverrun`, which is the default, the job never runs again, and says nothing.
# Seen: the lines at the end of this script. Controls: the handler rejects; a synchronous Task throws; without
#   `preventOverrun`.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages toad-scheduler@4.1.0

cat >"$tmp/thrown.js" <<'PROGRAM'
const {AsyncTask, SimpleIntervalJob, Task, ToadScheduler} = require("toad-scheduler");

async function run(title, Kind, first, preventOverrun) {
  let calls = 0;
  const told = [];
  const task = new Kind("task", () => (++calls === 1 ? first() : Promise.resolve()),
                        (error) => told.push(error.message));
  const job = new SimpleIntervalJob({milliseconds: 20}, task, {id: "job", preventOverrun});
  const caller = await job.executeAsync().then(() => "nothing", (error) => error.message);
  const scheduler = new ToadScheduler();
  scheduler.addSimpleIntervalJob(job);
  await new Promise((resolve) => setTimeout(resolve, 300));
  scheduler.stop();
  console.log(`${title}: the caller hears ${caller}, the error handler ${told.join() || "nothing"}; the job ` +
              (calls > 1 ? "runs again" : "never runs again"));
}

const thrown = () => { throw new Error("no connection"); };
const rejected = () => Promise.reject(new Error("no connection"));

(async () => {
  await run("thrown", AsyncTask, thrown, true);
  await run("control, rejected", AsyncTask, rejected, true);
  await run("control, a synchronous task", Task, thrown, true);
  await run("control, overruns allowed", AsyncTask, thrown, false);
})();
PROGRAM

as_stated 'thrown: the caller hears no connection, the error handler nothing; the job never runs again
control, rejected: the caller hears nothing, the error handler no connection; the job runs again
control, a synchronous task: the caller hears nothing, the error handler no connection; the job runs again
control, overruns allowed: the caller hears no connection, the error handler nothing; the job runs again' \
    "$(NODE_PATH="$tmp/node_modules" node "$tmp/thrown.js")"
