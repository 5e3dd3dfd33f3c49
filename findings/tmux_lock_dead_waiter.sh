#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: tmux 3.3a (Debian 12), its lock "wait-for -L channel".
# Expected: tmux(1) says that -L locks a channel, and that clients that try to lock it are made to wait until it is
#   unlocked with -U. A client that was killed while it waited waits no more: the next client gets the lock.
# Really: the dead client keeps its place in the queue, and -U gives it the lock. Nobody holds the channel, and who
#   waits sleeps on. It takes one more -U for each dead client. A script that unlocks what it has locked, and nothing
#   else, never sends it.
# Seen: the lines at the end of this script. Control: nobody is killed.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian tmux '3.3a-*'

tmux_here() {
    env -u TMUX TERM=dumb tmux -S "$tmp/socket" -f /dev/null "$@"
}

# locks NAME: a client that waits for the channel $title. Its process id is in $last. It takes its place within 0.3 s.
locks() {
    background env -u TMUX tmux -S "$tmp/socket" wait-for -L "$title"
    sleep 0.3
}

# Says whether the client of that process id has been answered within a second: no client means that it holds the lock.
tell() {
    sleep 1
    if kill -0 "$2" 2>/dev/null; then
        echo "$1 waits"
    else
        echo "$1 has the lock"
    fi
}

run() {
    title=$1
    local first second
    echo "$title"
    tmux_here wait-for -L "$title"
    echo "A has the lock"
    locks
    first=$last
    locks
    second=$last
    if [[ $2 == killed ]]; then
        kill -KILL "$first"
        wait "$first" 2>/dev/null || true
        echo "B is killed while it waits"
    fi
    tmux_here wait-for -U "$title"
    echo "A unlocks"
    if [[ $2 == killed ]]; then
        tell C "$second"
        tmux_here wait-for -U "$title"
        echo "somebody unlocks who holds nothing"
        tell C "$second"
    else
        tell B "$first"
        tell C "$second"
        tmux_here wait-for -U "$title"
        echo "B unlocks"
        tell C "$second"
    fi
    tmux_here wait-for -U "$title"
}

tmux_here new-session -d 'sleep 50'
as_stated 'a waiter is killed
A has the lock
B is killed while it waits
A unlocks
C waits
somebody unlocks who holds nothing
C has the lock
control: nobody is killed
A has the lock
A unlocks
B has the lock
C waits
B unlocks
C has the lock' "$(
    run 'a waiter is killed' killed
    run 'control: nobody is killed' none
)"
tmux_here kill-server
