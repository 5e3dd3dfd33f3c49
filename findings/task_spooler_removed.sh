#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: task-spooler 1.0.1 (Debian 12; tsp).
# Expected: the manual says that `tsp -w` waits for a job and `tsp -r` removes one. When a job is removed while somebody
#   waits for it the wait ends, as it does for a job that failed: nobody will run it.
# Really: the one who waits is not told. He sleeps on while the queue goes on and empties; who asks only after the
#   removal gets an error at once.
# Seen: the lines at the end of this script. Controls: the job that he waits for is run; the call after the removal.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian task-spooler '1.0.1+*'

export TMPDIR=$tmp TS_SOCKET=$tmp/socket
trap 'tsp -K; finish' EXIT

# The end of a call of tsp that may take so many seconds.
ending() {
    local code=0
    timeout "$1" tsp "${@:2}" >/dev/null 2>&1 || code=$?
    case $code in
        0) echo 'ends well' ;;
        124) echo 'waits' ;;
        *) echo 'ends with an error' ;;
    esac
}

run() {
    tsp sleep 1000 >/dev/null
    tsp true >/dev/null
    tsp true >/dev/null
    ending 15 -w 1 >"$tmp/first" &
    local first=$!
    ending 15 -w 2 >"$tmp/second" &
    local second=$!
    sleep 3
    tsp -r 1
    tsp -k 0
    wait "$second"
    echo "job 2 has run, its waiter $(cat "$tmp/second")"
    wait "$first"
    echo "job 1 was removed, ten seconds later its waiter $(cat "$tmp/first")"
    echo "still queued: $(tsp -l | grep -c queued), who asks for job 1 now $(ending 15 -w 1)"
}

as_stated 'job 2 has run, its waiter ends well
job 1 was removed, ten seconds later its waiter waits
still queued: 0, who asks for job 1 now ends with an error' "$(run)"
