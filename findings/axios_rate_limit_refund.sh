#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Packages: axios-rate-limit 1.9.0 and axios 1.21.1 (npm).
# Expected: with a limit of 2 in 1 s at most 2 requests are sent in each window. "shouldCountRequest" gives the place of
#   a request back that is not to count, for instance of one that a cache has answered.
# Really: the first request of a window sets the timer that ends it. When its place is given back the count is 0 again,
#   and the next request counts as the first one of a new window and sets a second timer. Each timer empties the count,
#   and the next request after that sets it anew, so that the extra timers never go away while there are requests: after
#   three answers from the cache the limit of 2 in 1 s is one of 8 in 1 s.
# Seen: the lines at the end of this script. Controls: the same requests without the option; no answer from the cache.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages axios-rate-limit@1.9.0 axios@1.21.1

cat >"$tmp/refund.js" <<'PROGRAM'
const axios = require("axios");
const rateLimit = require("axios-rate-limit");
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

// Some answers come from a cache. Then a hundred requests are made at once, and those that are sent within 7.5 s count.
// At most 18 are allowed: 2 in each of 9 windows. An adapter takes the place of the network.
async function run(title, cached, options) {
  let sent = 0;
  const adapter = async (config) => {
    sent += config.url === "/" ? 1 : 0;
    return {data: "", status: 200, statusText: "OK", headers: {}, config, cached: config.url !== "/"};
  };
  const http = rateLimit(axios.create({adapter}), {limits: [{maxRequests: 2, duration: "1s"}], ...options});
  for (let request = 0; request < cached; ++request) {
    await http.get("/cached");
    await pause(100);
  }
  for (let request = 0; request < 100; ++request) {
    http.get("/").catch(() => {});
  }
  await pause(7500);
  const seen = sent > 50 ? "more than 50" : sent > 25 ? "more than 25" : sent > 18 ? "more than 18" : "at most 18";
  return `${title}: ${seen} in 7.5 s`;
}

(async () => {
  const refund = {shouldCountRequest: (config, response) => !response.cached};
  const lines = await Promise.all([
    run("1 answer from the cache", 1, refund),
    run("3 answers from the cache", 3, refund),
    run("control, 3 answers from the cache that count", 3, {}),
    run("control, no answer from the cache", 0, refund),
  ]);
  console.log(lines.join("\n"));
  process.exit();
})();
PROGRAM

as_stated '1 answer from the cache: more than 25 in 7.5 s
3 answers from the cache: more than 50 in 7.5 s
control, 3 answers from the cache that count: at most 18 in 7.5 s
control, no answer from the cache: at most 18 in 7.5 s' "$(node "$tmp/refund.js")"
