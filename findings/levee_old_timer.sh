#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: levee 1.5.1 (npm).
# Expected: the README says that the breaker opens after so many consecutive failures and that after resetTimeout it
#   changes from open to half open. A breaker that is closed, and has seen no failure since, lets everybody through.
# Really: nobody stops the timer that the opening has started. A call from before that succeeds at last closes the
#   breaker, which is meant so, as a comment in its source says. The timer that is left over makes a half-open breaker
#   of the closed one: the service works, one call at a time is let through, and all others are told "Command not
#   available."
# Seen: the lines at the end of this script. Control: the breaker is closed by the trial of its half-open time.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages levee@1.5.1

cat >"$tmp/program.js" <<'PROGRAM'
const Levee = require("levee");
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const silent = () => {};

// The service answers when its caller says so.
function make() {
  const breaker = Levee.createBreaker((answer, told) => answer(told), {maxFailures: 2, timeout: 60000, resetTimeout: 5000});
  breaker.half = new Promise((resolve) => breaker.once("half_open", resolve));
  return breaker;
}

// Three calls at a time of a service that works.
async function three(title, breaker) {
  const answers = [];
  const calls = [1, 2, 3].map(() => new Promise((resolve) => {
    breaker.run((told) => setTimeout(told, 200), (error) => resolve(error ? "refused" : "served"));
  }));
  for (const call of calls) answers.push(await call);
  console.log(`${title}: ${answers.join(", ")}`);
}

async function run(title, slow) {
  const breaker = make();
  let answer;
  if (slow) breaker.run((told) => { answer = told; }, silent);
  for (let count = 0; count < 2; ++count) breaker.run((told) => told(new Error("not now")), silent);
  await pause(0);
  const opened = breaker.isOpen();
  if (slow) answer();
  else {
    await breaker.half;
    await new Promise((resolve) => breaker.run((told) => told(), resolve));
  }
  console.log(`${title}: after two failures ${opened ? "open" : "closed"}, then closed: ${breaker.isClosed()}`);
  await three("  at once", breaker);
  if (slow) await Promise.race([breaker.half, pause(20000)]);
  else await pause(10000);
  console.log(`  later, with no failure in between, closed: ${breaker.isClosed()}`);
  await three("  then", breaker);
}

// The timers of the breaker do not keep a program alive.
const alive = setInterval(silent, 1000);

(async () => {
  await run("a call from before succeeds", true);
  await run("control, closed by a trial", false);
  clearInterval(alive);
})();
PROGRAM

as_stated 'a call from before succeeds: after two failures open, then closed: true
  at once: served, served, served
  later, with no failure in between, closed: false
  then: served, refused, refused
control, closed by a trial: after two failures open, then closed: true
  at once: served, served, served
  later, with no failure in between, closed: true
  then: served, served, served' "$(node "$tmp/program.js")"
