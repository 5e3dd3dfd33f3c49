#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: btrz-circuit-breaker 1.1.0 with circuit-breaker-js 0.0.1 (npm), and an HTTP transport of the program.
# Expected: an answer of the service, as "404 not found", is no failure of it: only more than 500 is told as one.
# Really: what is neither told as a success nor as a failure is counted as a time-out a while later: after some answers of 400
#   to 500, each within a millisecond, the circuit is open, and good requests are not sent.
# Seen: the lines at the end of this script. Controls: answers of 200; the circuit before that time is over.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages btrz-circuit-breaker@1.1.0 circuit-breaker-js@0.0.1

cat >"$tmp/found.js" <<'PROGRAM'
const module_ = require("btrz-circuit-breaker");
const CircuitBreaker = module_.CircuitBreaker || module_;
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

async function run(title, statusCode, wait) {
  const breaker = new CircuitBreaker({timeoutDuration: 300, windowDuration: 10000, numBuckets: 10, volumeThreshold: 5, errorThreshold: 50});
  let sent = 0;
  const transport = (params, callback) => { sent++; setImmediate(callback, null, {statusCode: params.status, statusMessage: "answer"}, null); };
  const request = breaker.wrapHttpTransport(transport);
  const ask = (status) => request("GET", "http://service.test/", {status}).then(() => "200", (error) => error.message);
  for (let i = 0; i < 10; i++) await ask(statusCode);
  await pause(wait);
  sent = 0;
  const answer = await ask(200);
  console.log(`${title}: then a good request is ${sent ? "sent" : "not sent"}: ${answer}`);
}

(async () => {
  await run("ten answers of 404, 1 s later", 404, 1000);
  await run("ten answers of 500, 1 s later", 500, 1000);
  await run("control, ten of 404, at once", 404, 0);
  await run("control, ten of 200, 1 s later", 200, 1000);
  process.exit();
})();
PROGRAM

as_stated 'ten answers of 404, 1 s later: then a good request is not sent: CIRCUIT_BREAKER_TRIPPED_NO_FALLBACK
ten answers of 500, 1 s later: then a good request is not sent: CIRCUIT_BREAKER_TRIPPED_NO_FALLBACK
control, ten of 404, at once: then a good request is sent: 200
control, ten of 200, 1 s later: then a good request is sent: 200' "$(node "$tmp/found.js")"
