#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: circuit-breaker-js 0.0.1 (npm).
# Expected: forceOpen() forces the circuit to open until unforce(), which returns it to its last unforced state.
# Really: the ticker that gives an open circuit another try does so with a forced one, too: after three windows it is half
#   open, and since nothing is measured while it is forced everybody is let through, for as long as it is. Who
#   forces twice, open and then closed, is returned to the first forced state: a circuit that never failed is open.
# Seen: the lines at the end of this script, with a window of 0.2 s. Controls: before the window is over; forced once.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages circuit-breaker-js@0.0.1

cat >"$tmp/forced.js" <<'PROGRAM'
const CircuitBreaker = require("circuit-breaker-js");
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

// How many of ten calls are let through.
function ask(breaker) {
  let through = 0;
  for (let call = 0; call < 10; call++) {
    breaker.run((success) => { through++; success(); }, () => {});
  }
  return `${through} of 10 get through`;
}

(async () => {
  const open = new CircuitBreaker({windowDuration: 200});
  open.forceOpen();
  console.log(`control, forced open: ${ask(open)}`);
  await pause(600);
  console.log(`forced open, three windows later: ${ask(open)}`);
  await pause(600);
  console.log(`and three more windows later: ${ask(open)}`);
  const twice = new CircuitBreaker({windowDuration: 60000});
  twice.forceOpen();
  twice.forceClose();
  twice.unforce();
  console.log(`forced open, forced closed, unforced: ${ask(twice)}`);
  const once = new CircuitBreaker({windowDuration: 60000});
  once.forceClose();
  once.unforce();
  console.log(`control, forced closed, unforced: ${ask(once)}`);
  process.exit();
})();
PROGRAM

as_stated 'control, forced open: 0 of 10 get through
forced open, three windows later: 10 of 10 get through
and three more windows later: 10 of 10 get through
forced open, forced closed, unforced: 0 of 10 get through
control, forced closed, unforced: 10 of 10 get through' "$(node "$tmp/forced.js")"
