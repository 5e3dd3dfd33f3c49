#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: MariaDB 10.11 (Debian 12), InnoDB.
# Expected: SELECT ... ORDER BY prio LIMIT 1 FOR UPDATE SKIP LOCKED claims the most urgent job that nobody has, as in
#   PostgreSQL. The manual says of SKIP LOCKED that it leaves out rows that others have locked.
# Really: the LIMIT comes last. Without an index that gives the order the rows are sorted, and each row that is read for
#   it is locked until the worker's transaction ends, with READ COMMITTED too. A has one job and the locks of all; B and
#   all who come meanwhile are told that there is none. With SKIP LOCKED nobody waits, so it looks like an empty queue.
# Seen: the lines at the end of this script, with three of 100 jobs wanted. Controls: the same query with an index on
#   the order; a LIMIT without an ORDER.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian mariadb-server '1:10.11.*'
mkdir "$tmp/data"
as_owner=()
if [[ $(id -u) == 0 ]]; then
    chown mysql "$tmp" "$tmp/data"
    as_owner=(--user=mysql)
fi
mariadb-install-db --no-defaults --datadir="$tmp/data" --auth-root-authentication-method=normal --skip-test-db \
    "${as_owner[@]}" >"$tmp/log" 2>&1
background mariadbd --no-defaults --datadir="$tmp/data" --skip-networking --socket="$tmp/socket" \
    --pid-file="$tmp/pid" "${as_owner[@]}" >>"$tmp/log" 2>&1
client=(mariadb --no-defaults --socket="$tmp/socket" --user=root --batch --skip-column-names --unbuffered)
patiently "${client[@]}" --execute "SELECT 1"

# A worker: claims a job and keeps it until its file is gone.
worker() {
    {
        cat <<SQL
SET SESSION TRANSACTION ISOLATION LEVEL $2;
BEGIN;
SELECT id FROM jobs WHERE state = 'new' $3 FOR UPDATE SKIP LOCKED;
SELECT 'asked';
SQL
        while [[ -e $tmp/works ]]; do
            sleep 0.1
        done
    } | "${client[@]}" queue >"$1"
}

# claim TITLE LEVEL TAIL: three workers, one after the other.
claim() {
    local number answers='' pids=()
    touch "$tmp/works"
    for number in 1 2 3; do
        : >"$tmp/answer$number"
        worker "$tmp/answer$number" "$2" "$3" &
        pids+=("$!")
        patiently grep -q asked "$tmp/answer$number"
        answers+=" $(sed -n '1s/asked/nothing/p;1s/^[0-9]/&/p' "$tmp/answer$number")"
    done
    rm "$tmp/works"
    wait "${pids[@]}"
    echo "$1, $2:$answers"
}

run() {
    "${client[@]}" <<'SQL'
CREATE DATABASE queue;
USE queue;
CREATE TABLE jobs (id INT PRIMARY KEY AUTO_INCREMENT, state VARCHAR(8), prio INT, KEY (state));
INSERT INTO jobs (state, prio) SELECT 'new', seq FROM seq_1_to_100;
SQL
    claim "sorted" "REPEATABLE READ" "ORDER BY prio LIMIT 1"
    claim "sorted" "READ COMMITTED" "ORDER BY prio LIMIT 1"
    claim "control, no order" "READ COMMITTED" "LIMIT 1"
    "${client[@]}" queue --execute "CREATE INDEX urgent ON jobs (state, prio)"
    claim "control, sorted by an index" "READ COMMITTED" "ORDER BY prio LIMIT 1"
}
run >"$tmp/seen"

as_stated 'sorted, REPEATABLE READ: 1 nothing nothing
sorted, READ COMMITTED: 1 nothing nothing
control, no order, READ COMMITTED: 1 2 3
control, sorted by an index, READ COMMITTED: 1 2 3' "$(cat "$tmp/seen")"
