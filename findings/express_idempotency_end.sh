#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Packages: express-idempotency 1.0.6 with express 4.21.2 (npm).
# Expected: the middleware answers a repeated request of one key with the stored answer of the first one. While that one is
#   in progress it answers with 409 and says so.
# Really: the end of a request is noticed in send() alone. One that is answered by end(), by a redirect or by a stream is
#   never over: each repetition gets 409, although the client of the first one has its answer.
# Seen: the lines at the end of this script. Controls: send(), json() and sendStatus(), which calls send().

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages express-idempotency@1.0.6 express@4.21.2

cat >"$tmp/end.js" <<'PROGRAM'
const express = require("express");
const {getSharedIdempotencyService, idempotency} = require("express-idempotency");

const app = express();
app.use(idempotency());
const answers = {
  end: (response) => response.status(204).end(),
  redirect: (response) => response.redirect(303, "/order/1"),
  stream: (response) => { response.write("pa"); response.end("id"); },
  send: (response) => response.send("paid"),
  json: (response) => response.json({paid: true}),
  sendStatus: (response) => response.sendStatus(200),
};
const runs = {};
for (const [name, answer] of Object.entries(answers)) {
  app.post(`/${name}`, (request, response) => {
    if (!getSharedIdempotencyService().isHit(request)) {
      runs[name] = (runs[name] ?? 0) + 1;
      answer(response);
    }
  });
}
app.use((error, request, response, next) => { response.end(); });

const server = app.listen(0, "127.0.0.1", async () => {
  const ask = async (name) => {
    const address = `http://127.0.0.1:${server.address().port}/${name}`;
    const response = await fetch(address, {method: "POST", redirect: "manual", headers: {"Idempotency-Key": name}});
    await response.text();
    return response.status;
  };
  for (const name of Object.keys(answers)) {
    const first = await ask(name);
    await new Promise((resolve) => setTimeout(resolve, 500));
    console.log(`${name}: first ${first}, then ${await ask(name)}, then ${await ask(name)}; it ran ${runs[name]} times`);
  }
  process.exit();
});
PROGRAM

as_stated 'end: first 204, then 409, then 409; it ran 1 times
redirect: first 303, then 409, then 409; it ran 1 times
stream: first 200, then 409, then 409; it ran 1 times
send: first 200, then 200, then 200; it ran 1 times
json: first 200, then 200, then 200; it ran 1 times
sendStatus: first 200, then 200, then 200; it ran 1 times' "$(NODE_PATH="$tmp/node_modules" node "$tmp/end.js")"
