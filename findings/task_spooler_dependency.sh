#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: task-spooler 1.0.1 (Debian 12; tsp).
# Expected: the manual says that `tsp -d` runs a command only if the command before finished well, and that `tsp -r`
#   removes a job, such as an old result, from the list. When the last command finished well the next one with -d
#   runs, whatever older result was removed.
# Really: a removal counts as the last result, and as a failed one. The next command with -d says in the list that it
#   depends on the last job, which has the code 0, and is skipped. What depends on it in turn is skipped as well.
# Seen: the lines at the end of this script. Controls: no result is removed; -D with the number of the same job.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian task-spooler '1.0.1+*'

export TMPDIR=$tmp
trap 'tsp -K; finish' EXIT

# run TITLE REMOVED HOW...: two jobs that finish well, a removal, and a third job that depends on the second one.
run() {
    local title=$1 removed=$2 id
    shift 2
    export TS_SOCKET="$tmp/$title"
    for id in 0 1; do
        tsp true >/dev/null
        tsp -w "$id" || true
    done
    [[ -z $removed ]] || tsp -r "$removed"
    tsp "$@" touch "$tmp/it ran" >/dev/null
    tsp -w 2 || true
    echo "$title: job 1 $(tsp -s 1), job 2 $(tsp -s 2), $([[ -e $tmp/it\ ran ]] && echo 'it ran' || echo 'it did not run')"
    rm -f "$tmp/it ran"
    tsp -K
}

as_stated 'job 0 removed, -d: job 1 finished, job 2 skipped, it did not run
control, none removed, -d: job 1 finished, job 2 finished, it ran
control, job 0 removed, -D 1: job 1 finished, job 2 finished, it ran' "$(
    run 'job 0 removed, -d' 0 -d
    run 'control, none removed, -d' '' -d
    run 'control, job 0 removed, -D 1' 0 -D 1
)"
