#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Packages: express-queue 0.0.13 and express 4.21.2 (npm).
# Expected: "activeLimit" is how many requests are processed at a time, "queuedLimit" how many wait before more are
#   rejected. With 2 and 0 two are processed and nobody waits: a third one is rejected while both places are taken.
# Really: whether there is room in the queue is asked first, and a queue of 0 never has room: every request is rejected
#   with 503, beside two free places.
# Seen: the lines at the end of this script. Controls: a queuedLimit of 1; one of -1, which is none.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages express-queue@0.0.13 express@4.21.2

cat >"$tmp/none.js" <<'PROGRAM'
const http = require("http");
const express = require("express");
const expressQueue = require("express-queue");
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

// Six requests come at once to pages that take a while, then one more when all is quiet.
async function run(title, queuedLimit) {
  const app = express();
  app.use(expressQueue({activeLimit: 2, queuedLimit}));
  app.get("/", async (request, response) => {
    await pause(1500);
    response.send("ok");
  });
  const server = await new Promise((resolve) => {
    const made = app.listen(0, "127.0.0.1", () => resolve(made));
  });
  const get = () => new Promise((resolve) => {
    http.get({host: "127.0.0.1", port: server.address().port, agent: false}, (response) => {
      response.resume().on("end", () => resolve(response.statusCode));
    });
  });
  const codes = await Promise.all(Array.from({length: 6}, get));
  const served = codes.filter((code) => code === 200).length;
  return `${title}: ${served} of 6 at once are served, alone ${await get()}`;
}

(async () => {
  const lines = await Promise.all([
    run("nobody may wait", 0),
    run("control, one may wait", 1),
    run("control, all may wait", -1),
  ]);
  console.log(lines.join("\n"));
  process.exit();
})();
PROGRAM

as_stated 'nobody may wait: 0 of 6 at once are served, alone 503
control, one may wait: 3 of 6 at once are served, alone 200
control, all may wait: 6 of 6 at once are served, alone 200' "$(node "$tmp/none.js")"
