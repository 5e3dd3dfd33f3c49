#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: @ster5/global-mutex 3.3.0 (npm; the native provider).
# Expected: a holder that was not heard of for longer than `stale` has lost its lock: its late end changes nothing.
# Really: its end removes whatever lock is there: that of its successor, beside whom the next one gets in.
# Seen: the lines at the end of this script: A does not get to its timer for longer than `stale`. Control: A ends in time.

set -euo pipefail
source "$(dirname "$0")/common.sh"
npm_packages @ster5/global-mutex@3.3.0

cat >"$tmp/late.js" <<'PROGRAM'
const fs = require("fs");
const {withLock, setLockProvider} = require("@ster5/global-mutex");
setLockProvider("native");
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const [file, name, busy, rest] = process.argv.slice(2);
const say = (text) => fs.appendFileSync(`${file}.log`, `${name} ${text}\n`);

(async () => {
  await withLock({fileToLock: file, stale: 1000, retries: {forever: true, minTimeout: 50, maxTimeout: 50}}, async () => {
    say("gets in");
    // The timers of the program stand still.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, +busy);
    await pause(+rest);
    say("leaves");
  });
})();
PROGRAM

run() {
    local title=$1 busy=$2 file=$tmp/$RANDOM
    node "$tmp/late.js" "$file" A "$busy" 100 &
    local a=$!
    patiently grep -q 'A gets in' "$file.log"
    node "$tmp/late.js" "$file" B 0 6000 &
    local b=$!
    # C asks when B has got in and A has left.
    patiently grep -q 'B gets in' "$file.log"
    patiently grep -q 'A leaves' "$file.log"
    node "$tmp/late.js" "$file" C 0 100 &
    wait "$a" "$b" "$!"
    echo "$title: $(paste -sd, "$file.log")"
}
{
    run 'A stands still for 4 s' 4000
    run 'control, for 0.1 s' 100
} >"$tmp/seen"

as_stated 'A stands still for 4 s: A gets in,B gets in,A leaves,C gets in,C leaves,B leaves
control, for 0.1 s: A gets in,A leaves,B gets in,B leaves,C gets in,C leaves' "$(cat "$tmp/seen")"
