#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: any-db-pool 2.3.0 (npm), with a database of the program.
# Expected: cancel() of a query that waits for a connection ends it with an error, and the connection goes to the next.
# Really: the query is told so when its turn has come and the connection has been taken for it. Nobody gives that one
#   back: each query that is cancelled in its wait costs a connection for good, after two of them a pool of 2 is used up
#   without a query, and close() never ends.
# Seen: the lines at the end of this script, when all queries have ended. Control: nothing is cancelled.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages any-db-pool@2.3.0

cat >"$tmp/cancelled.js" <<'PROGRAM'
const {EventEmitter} = require("events");
const Pool = require("any-db-pool");
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

// A database whose queries last for 20 ms.
class Connection extends EventEmitter {
  query(query) {
    setTimeout(() => { query.emit("end"); query.callback(null, "rows"); }, 20);
  }
  end() {}
}
const adapter = {
  name: "slow",
  createConnection: (parameters, ready) => setImmediate(ready, null, new Connection()),
  createQuery: (statement, parameters, callback) => Object.assign(new EventEmitter(), {callback: callback || parameters}),
};

async function run(title, cancelled) {
  const pool = new Pool(adapter, {}, {max: 2});
  const told = {rows: 0, error: 0};
  const ask = () => pool.query("SELECT 1", (error) => { told[error ? "error" : "rows"]++; });
  const queries = [ask(), ask(), ask(), ask()];
  queries.slice(2, 2 + cancelled).forEach((query) => pool.cancel(query));
  await pause(200);
  const first = `${told.rows} answered, ${told.error} cancelled`;
  told.rows = 0;
  ask();
  ask();
  await pause(200);
  let closed = "never ends";
  pool.close(() => { closed = "ends"; });
  await pause(500);
  console.log(`${title}: ${first}; then ${told.rows} of 2 new ones are answered, close() ${closed}`);
}

(async () => {
  await run("two of four are cancelled", 2);
  await run("one of four is cancelled", 1);
  await run("control", 0);
  process.exit();
})();
PROGRAM

as_stated 'two of four are cancelled: 2 answered, 2 cancelled; then 0 of 2 new ones are answered, close() never ends
one of four is cancelled: 3 answered, 1 cancelled; then 2 of 2 new ones are answered, close() never ends
control: 4 answered, 0 cancelled; then 2 of 2 new ones are answered, close() ends' "$(node "$tmp/cancelled.js")"
