#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Packages: superagent-throttle 1.0.1 and superagent 10.4.2 (npm).
# Expected: with "concurrent" 2 two requests run at a time, and when one is over the next one is sent. A request that is
#   aborted is over.
# Really: the plugin gives the place back in the callback of end(). superagent calls it for an answer and for a
#   time-out, but not for abort(): each aborted request takes its place for ever. After two of them nothing is sent any
#   more, without an error.
# Seen: the lines at the end of this script. Controls: the request ends by a time-out of its own; one was aborted, not
#   two.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages superagent-throttle@1.0.1 superagent@10.4.2

cat >"$tmp/aborted.js" <<'PROGRAM'
const http = require("http");
const request = require("superagent");
const Throttle = require("superagent-throttle");
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

// Some requests to a page that never answers end in the stated way. Then three are made to one that answers at once.
async function run(title, base, count, options, finish) {
  const throttle = new Throttle({active: true, rate: 1000, ratePer: 1000, concurrent: 2});
  const get = (path) => request.get(base + path).use(throttle.plugin());
  let told = 0, answered = 0;
  const slow = Array.from({length: count}, () => {
    const one = get("/never").timeout(options.timeout ?? 60000);
    one.end(() => { ++told; });
    return one;
  });
  await pause(200);
  slow.forEach(finish);
  await pause(400);
  for (let index = 0; index < 3; ++index) {
    get("/at-once").end(() => { ++answered; });
  }
  await pause(1000);
  console.log(`${title}: ${told} told, then ${answered} of 3 answered`);
}

(async () => {
  const server = http.createServer((question, answer) => {
    if (question.url !== "/never") {
      answer.end("ok");
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const base = `http://127.0.0.1:${server.address().port}`;
  await run("2 aborted", base, 2, {}, (one) => one.abort());
  await run("control, 2 timed out", base, 2, {timeout: 300}, () => {});
  await run("control, 1 aborted", base, 1, {}, (one) => one.abort());
  process.exit();
})();
PROGRAM

as_stated '2 aborted: 0 told, then 0 of 3 answered
control, 2 timed out: 2 told, then 3 of 3 answered
control, 1 aborted: 0 told, then 3 of 3 answered' "$(node "$tmp/aborted.js")"
