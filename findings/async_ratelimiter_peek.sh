#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Packages: async-ratelimiter 1.6.10 and ioredis 5.9.2 (npm) with Redis 7.0 (Debian 12).
# Expected: the README says that get() with "peek" looks at the limit without consuming a request, and that each call
#   may have a "duration" of its own. A look changes nothing.
# Really: the look removes all requests that are older than its own duration. Who looks whether a caller has been busy
#   in the last 0.2 s gives it its whole limit of 5 in an hour once more. A request with another duration does the same,
#   so that of two limits for one caller the shorter one deletes what the longer one counts.
# Seen: the lines at the end of this script. Controls: a look with the duration of the limit; nobody looks.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian redis-server '5:7.0.*'
npm_packages async-ratelimiter@1.6.10 ioredis@5.9.2
background redis-server --port 0 --unixsocket "$tmp/redis" --save '' --dir "$tmp" --logfile "$tmp/log"
patiently redis-cli -s "$tmp/redis" ping

cat >"$tmp/peek.js" <<'PROGRAM'
const Redis = require("ioredis");
const Limiter = require("async-ratelimiter");
const redis = new Redis({path: process.argv[2]});
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const HOUR = 3600000;

// 5 in an hour. A caller asks 7 times, somebody may look or ask otherwise, and the caller asks 7 times again.
async function run(title, between) {
  const limiter = new Limiter({db: redis, max: 5, duration: HOUR});
  const granted = async () => {
    let count = 0;
    for (let call = 0; call < 7; ++call) {
      count += (await limiter.get({id: title})).remaining > 0 ? 1 : 0;
    }
    return count;
  };
  const before = await granted();
  await pause(400);
  await between?.((options) => limiter.get({id: title, ...options}));
  console.log(`${title}: ${before}, then ${await granted()} more`);
}

(async () => {
  await run("a look at the last 0.2 s", (get) => get({peek: true, duration: 200}));
  await run("a second limit of 10 in 0.2 s", (get) => get({max: 10, duration: 200}));
  await run("control, a look at the last hour", (get) => get({peek: true}));
  await run("control, nobody looks");
  redis.disconnect();
})();
PROGRAM

as_stated 'a look at the last 0.2 s: 5, then 5 more
a second limit of 10 in 0.2 s: 5, then 4 more
control, a look at the last hour: 5, then 0 more
control, nobody looks: 5, then 0 more' "$(node "$tmp/peek.js" "$tmp/redis")"
