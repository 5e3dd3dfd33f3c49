#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Packages: etcd-server and etcd-client 3.4.23 (Debian 12).
# Expected: `etcdctl lock NAME` takes the distributed mutex of that name. Two names are two mutexes, or, if
#   the names form a tree, "jobs" and "jobs/7" exclude each other whoever comes first.
# Really: a mutex is the oldest key below "NAME/", and keys of "jobs/7" lie below "jobs/". Who asks for
#   "jobs" waits for the holder of "jobs/7"; who asks for "jobs/7" gets it beside the holder of "jobs".
# Seen: the lines at the end of this script. Controls: "jobs2" and "jobs/8" beside "jobs/7", and a second
#   caller of "jobs/7", who waits.

set -euo pipefail
source "$(dirname "$0")/common.sh"
start_etcd

# lock NAME: asks for the mutex and keeps it. Prints what happens within two seconds.
lock() {
    local tries
    : >"$tmp/key"
    background etcdctl lock "$1" >"$tmp/key" 2>/dev/null
    for ((tries = 0; tries < 20; tries++)); do
        [[ -s $tmp/key ]] && break
        sleep 0.1
    done
    [[ -s $tmp/key ]] && echo "$1: granted" || echo "$1: waits"
}

# Ends the caller that came last, as its signal to let go.
leave() {
    kill "$last"
    wait "$last" 2>/dev/null || true
}

{
    lock jobs/7
    holder=$last
    for name in jobs jobs2 jobs/8 jobs/7; do
        lock "$name"
        leave
    done
    kill "$holder"
    wait "$holder" || true
    echo 'nobody holds'
    lock jobs
    lock jobs/7
} >"$tmp/seen"

as_stated 'jobs/7: granted
jobs: waits
jobs2: granted
jobs/8: granted
jobs/7: waits
nobody holds
jobs: granted
jobs/7: granted' "$(cat "$tmp/seen")"
