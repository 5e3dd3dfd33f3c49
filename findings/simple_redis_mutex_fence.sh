#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Packages: simple-redis-mutex 3.0.0 and redis 5.8.0 (npm) with Redis 7.0 (Debian 12).
# Expected: the README says that the fencing token is an increasing number that tells the order in which locks are
#   acquired, for the safety of writes: a resource that has seen the token of the present holder refuses an older one.
# Really: the token is drawn by a second request, once the lock has been taken. If the holder or its network stalls
#   between the two for longer than its lease, another one has the lock meanwhile, and its token is the smaller one.
#   The resource takes the writes of the old holder, and from then on it refuses those of the present one.
# Seen: the lines at the end of this script. A's link stalls for 2 s, its lease is 1 s. Control: the link stalls when
#   the token has been drawn.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian redis-server '5:7.0.*'
npm_packages simple-redis-mutex@3.0.0 redis@5.8.0
background redis-server --port 0 --unixsocket "$tmp/redis" --save '' --dir "$tmp" --logfile "$tmp/log"
patiently redis-cli -s "$tmp/redis" ping

cat >"$tmp/fence.js" <<'PROGRAM'
const {fork} = require("node:child_process");
const net = require("node:net");
const {createClient} = require("redis");
const {lock} = require("simple-redis-mutex");
const [, , server, link, name] = process.argv;
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const connect = (path) => createClient({socket: {path}}).connect();

// A, a program of its own, behind the link: takes the lock for 1 s and goes to the resource.
async function holder() {
  const redis = await connect(link);
  const release = await lock(redis, name, {timeout: 1000});
  await redis.sendCommand(["ECHO", "on the way to the resource"]);
  process.send(release.fencingToken, () => process.exit());
}

// Passes everything on to Redis, but holds up the first command that has a certain word in it.
let word = null, stalled;
const proxy = net.createServer((near) => {
  const far = net.connect(server);
  far.pipe(near);
  near.on("data", async (data) => {
    near.pause();
    if (word && data.includes(word)) {
      word = null;
      await stalled;
    }
    far.write(data);
    near.resume();
  });
  near.on("error", () => {});
  far.on("error", () => {});
});

async function run(redis, title, stallAt) {
  let goOn;
  stalled = new Promise((resolve) => { goOn = resolve; });
  word = stallAt;
  const a = new Promise((resolve) => fork(__filename, [server, link, title]).once("message", resolve));
  while (word) {
    await pause(50);
  }
  await pause(2000);
  const release = await lock(redis, title, {timeout: 60000});
  const b = release.fencingToken;
  // The resource has seen B's write when A's comes, and then B writes once more.
  let highest = b;
  const write = (token) => {
    const taken = token >= highest;
    highest = Math.max(highest, token);
    return taken ? "taken" : "refused";
  };
  goOn();
  const late = await a;
  console.log(`${title}: A has the ${late < b ? "smaller" : "larger"} token, its write is ${write(late)}, ` +
              `the next one of B, who has the lock, is ${write(b)}`);
  await release();
}

if (name) {
  holder();
} else {
  proxy.listen(link, async () => {
    const redis = await connect(server);
    await run(redis, "a stall between the lock and its token", "INCR");
    await run(redis, "control, a stall after both", "ECHO");
    process.exit();
  });
}
PROGRAM

as_stated 'a stall between the lock and its token: A has the larger token, its write is taken, the next one of B, who has the lock, is refused
control, a stall after both: A has the smaller token, its write is refused, the next one of B, who has the lock, is taken' "$(node "$tmp/fence.js" "$tmp/redis" "$tmp/link")"
