#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: @d-fischer/rate-limiter 1.1.0 (npm; ResponseBasedRateLimiter).
# Expected: the limiter learns from each response how many requests are left and when the limit starts anew, and begins
#   the requests that wait accordingly.
# Really: it begins a tenth of the limit at a time, and of less than one whole request it begins none. Under a limit of
#   less than 10 what once waits is never begun: not when requests are left, and not when the limit has started anew.
#   Newcomers begin at once if nothing runs, and pass all who wait.
# Seen: the lines at the end of this script. Control: a limit of 10.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages @d-fischer/rate-limiter@1.1.0

cat >"$tmp/small.js" <<'PROGRAM'
const {ResponseBasedRateLimiter} = require("@d-fischer/rate-limiter");
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

// The service allows so many requests in two seconds and says in each response how many are left.
class Limiter extends ResponseBasedRateLimiter {
  constructor(limit) {
    super({logger: {minLevel: "critical"}});
    Object.assign(this, {limit, done: [], resetsAt: 0, remaining: 0});
  }
  async doRequest(name) {
    if (Date.now() >= this.resetsAt) {
      Object.assign(this, {resetsAt: Date.now() + 2000, remaining: this.limit});
    }
    --this.remaining;
    await pause(10);
    this.done.push(name);
    return {limit: this.limit, remaining: this.remaining, resetsAt: this.resetsAt};
  }
  needsToRetryAfter() {
    return null;
  }
  getParametersFromResponse(response) {
    return response;
  }
}

// Four requests come at once, and a new one after three seconds.
async function run(title, limit) {
  const limiter = new Limiter(limit);
  ["a", "b", "c", "d"].forEach((name) => limiter.request(name));
  await pause(1000);
  const early = limiter.done.join(" ");
  await pause(2000);
  limiter.request("new");
  await pause(1000);
  return `${title}: ${early} in the first second; ${limiter.done.join(" ")} in the end`;
}

(async () => {
  const lines = await Promise.all([
    run("limit 5", 5),
    run("limit 9", 9),
    run("control, limit 10", 10),
  ]);
  console.log(lines.join("\n"));
  process.exit();
})();
PROGRAM

as_stated 'limit 5: a in the first second; a new in the end
limit 9: a in the first second; a new in the end
control, limit 10: a b c d in the first second; a b c d new in the end' "$(node "$tmp/small.js" 2>&1)"
