#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Packages: etcd-server and etcd-client 3.4.23 (Debian 12).
# Expected: the documentation says that `etcdctl lock` holds its mutex until it is terminated. Without a command
#   it ends with "session expired" when its lease is gone, so with a command it stops that command, or says
#   at its end that it was not alone.
# Really: while a command runs nobody looks at the lease. After the lease is gone (here it is revoked) the next
#   caller's command begins beside the first one, and both calls end with code 0 and without a word.
# Seen: the lines at the end of this script. Controls: the call without a command; and the next caller while the
#   lease lives, who waits.

set -euo pipefail
source "$(dirname "$0")/common.sh"
start_etcd

# The key of a mutex is its name and the number of its lease.
find_lease() {
    lease=$(etcdctl get --prefix jobs/ --keys-only | sed -n 's,^jobs/,,p')
    [[ -n $lease ]]
}

# first [COMMAND...]: holds the mutex, in the background.
first() {
    background etcdctl lock jobs "$@" >"$tmp/first" 2>&1
    patiently find_lease
}

second() { timeout 4 etcdctl lock jobs -- echo granted 2>/dev/null || echo waits; }

revoke() { etcdctl lease revoke "$lease" >"$tmp/revoked"; }

# Waits for the first caller, and prints what it said and its code.
end() {
    local code=0
    wait "$last" || code=$?
    sed '/^$/d; s,^jobs/.*,(its key),' "$tmp/first"
    echo "ends with $code"
}

{
    echo 'a command under the lock'
    first -- bash -c "until [[ -e $tmp/enough ]]; do sleep 0.1; done; echo the command is done"
    echo "second: $(second)"
    revoke
    echo "lease revoked, second: $(second)"
    sleep 1
    kill -0 "$last" && echo 'the first one runs'
    touch "$tmp/enough"
    end
    echo 'control: no command'
    first
    revoke
    end
} >"$tmp/seen"

as_stated 'a command under the lock
second: waits
lease revoked, second: granted
the first one runs
the command is done
ends with 0
control: no command
(its key)
Error: session expired
ends with 1' "$(cat "$tmp/seen")"
