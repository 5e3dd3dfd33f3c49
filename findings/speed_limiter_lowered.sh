#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: speed-limiter 1.0.2 (npm).
# Expected: the README says that setRate() sets the rate at which a group of throttles can pass data. After a lower rate
#   a transfer that is under way is slower.
# Really: a throttle waits for as many tokens as its chunk has bytes, and a chunk is a tenth of the rate at which it was
#   cut. If the rate becomes lower than that the waiting chunk can never be paid for: the transfer ends with the error
#   "Requested tokens 400 exceeds bucket size 300", and its data are lost. A halved rate passes.
# Seen: the lines at the end of this script. Controls: the rate is halved; it is low from the start.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages speed-limiter@1.0.2

cat >"$tmp/lowered.js" <<'PROGRAM'
const {ThrottleGroup} = require("speed-limiter");
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

// 6,000 bytes are on their way. After half a second the rate becomes another one, and in the end a very high one.
async function run(title, rate, later) {
  const group = new ThrottleGroup({rate});
  const throttle = group.throttle();
  let bytes = 0, ended = "is not over";
  throttle.on("data", (data) => { bytes += data.length; });
  throttle.on("end", () => { ended = "is complete"; });
  throttle.on("error", (error) => { ended = `fails: ${error.message ?? error}`; });
  throttle.write(Buffer.alloc(6000));
  throttle.end();
  await pause(500);
  group.setRate(later);
  await pause(2000);
  group.setRate(60000);
  await pause(6000);
  return `${title}: the transfer ${ended}${bytes === 6000 ? ", 6000 bytes" : ", bytes are lost"}`;
}

(async () => {
  const lines = await Promise.all([
    run("4000 bytes/s, then 300", 4000, 300),
    run("control, 4000, then 2000", 4000, 2000),
    run("control, 300, then 300", 300, 300),
  ]);
  console.log(lines.join("\n"));
  process.exit();
})();
PROGRAM

as_stated '4000 bytes/s, then 300: the transfer fails: Requested tokens 400 exceeds bucket size 300, bytes are lost
control, 4000, then 2000: the transfer is complete, 6000 bytes
control, 300, then 300: the transfer is complete, 6000 bytes' "$(node "$tmp/lowered.js")"
