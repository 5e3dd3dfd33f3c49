#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Packages: gearman-job-server and gearman-tools 1.1.20 (Debian 12).
# Expected: a background job is detached: the server has confirmed it and keeps it until a worker has done it,
#   its submitter may leave at once. Jobs of one unique key are merged into one, a foreground job whose
#   client leaves before a worker took it is dropped. So a background job survives what others do.
# Really: when a client joins by the same key in the foreground and leaves, the merged job is dropped, with
#   the background job that was there first. The submitter had its confirmation and hears nothing.
# Seen: the lines at the end of this script. Controls: nobody joins; one joins in the background.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian gearman-job-server '1.1.20*'
debian gearman-tools '1.1.20*'
address=$(loopback)
background gearmand --listen "$address" --port 4730 --log-file "$tmp/log"

# status: jobs of the function `clean` that the server knows: all, running, workers.
status() {
    gearadmin --host "$address" --port 4730 --status | grep '^clean'
}
patiently gearadmin --host "$address" --port 4730 --getpid

submit() {
    gearman -h "$address" -p 4730 -f clean -u "$@" >/dev/null
}

# A worker for two jobs or two seconds, whichever comes first.
work() {
    : >"$tmp/done"
    gearman -h "$address" -p 4730 -w -f clean -t 2000 -c 2 -- tee -a "$tmp/done" >/dev/null 2>&1 || true
    echo "$1: $(tr -c '[:alnum:]' ' ' <"$tmp/done")"
}

# once KEY CLIENT: a background job, CLIENT (a command or nothing), then a worker.
once() {
    submit "$1" -b 'background job'
    "${@:2}"
    work "$1"
}

joins_and_leaves() {
    gearman -h "$address" -p 4730 -f clean -u "$1" 'foreground job' >/dev/null 2>&1 &
    local client=$!
    sleep 2
    echo "$1: $(status | cut -f 2) job on the server"
    kill "$client"
    wait "$client" 2>/dev/null || true
    sleep 0.5
}

{
    once joined joins_and_leaves joined
    once alone true
    once twice submit twice -b 'second background job'
} >"$tmp/seen"

as_stated 'joined: 1 job on the server
joined: 
alone: background job
twice: background job' "$(cat "$tmp/seen")"
