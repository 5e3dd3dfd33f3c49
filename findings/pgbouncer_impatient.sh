#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Packages: PgBouncer 1.18.0 with PostgreSQL 15 (Debian 12).
# Expected: the manual says of max_db_connections that no more server connections than this are allowed for a database.
#   With a pool of 1 and this limit at 1 the server has one connection, however many clients come and go.
# Really: a client that is killed while it waits for a lock leaves its connection behind. PgBouncer closes its end and
#   counts the place as free, but PostgreSQL does not look at the socket while it waits: the session stays in the queue
#   of the lock. Three impatient clients, one after the other, make three sessions of a pool of 1, and the next client
#   waits for the lock behind all of them. When the lock is released each ghost gets it, and only then it ends.
# Seen: the lines at the end of this script. Controls: clients whose statements time out at the server;
#   PostgreSQL with client_connection_check_interval.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian pgbouncer '1.18.*'
start_postgresql

mkdir "$tmp/pool"
cat >"$tmp/pgbouncer.ini" <<INI
[databases]
postgres = host=$tmp user=tester
[pgbouncer]
unix_socket_dir = $tmp/pool
auth_type = any
pool_mode = session
default_pool_size = 1
max_db_connections = 1
INI
as_owner=()
if [[ $(id -u) == 0 ]]; then
    chown postgres "$tmp/pool"
    as_owner=(setpriv --reuid postgres --regid postgres --clear-groups)
fi
background "${as_owner[@]}" pgbouncer -q "$tmp/pgbouncer.ini" 2>>"$tmp/log"
patiently test -S "$tmp/pool/.s.PGSQL.6432"

direct=("$programs/psql" --host "$tmp" --username tester --dbname postgres --no-align --tuples-only --quiet)
pooled=("$programs/psql" --host "$tmp/pool" --port 6432 --username tester --dbname postgres --no-align --tuples-only --quiet)

# Sessions at the server that wait for the lock.
waiting() {
    "${direct[@]}" --command "SELECT COUNT(*) FROM pg_stat_activity WHERE wait_event = 'advisory'"
}
wait_for() {
    local tries
    for ((tries = 0; tries < 60; tries++)); do
        [[ $(waiting) != "$1" ]] || return 0
        sleep 0.2
    done
}

# run TITLE HOW: one has the lock. Three clients ask by the pool, one after the other, and end while they wait.
run() {
    local client number seen
    mkfifo "$tmp/holder"
    : >"$tmp/held"
    "${direct[@]}" <"$tmp/holder" >"$tmp/held" &
    holder=$!
    exec 8>"$tmp/holder"
    echo "SELECT pg_advisory_lock(1); SELECT 'held';" >&8
    patiently grep -q held "$tmp/held"
    for number in 1 2 3; do
        if [[ $2 == killed ]]; then
            seen=$(waiting)
            "${pooled[@]}" --command "SELECT pg_advisory_lock(1)" >/dev/null 2>&1 8>&- &
            client=$!
            wait_for "$((seen + 1))"
            kill -KILL "$client"
            wait "$client" 2>/dev/null || true
        else
            "${pooled[@]}" --command "SET statement_timeout = 300" --command "SELECT pg_advisory_lock(1)" \
                >/dev/null 2>&1 8>&- || true
        fi
    done
    sleep 1
    echo "$1: $(waiting) sessions wait, of clients that are gone"
    exec 8>&-
    wait "$holder"
    rm "$tmp/holder"
    wait_for 0
    echo "  after the release: $(waiting)"
}
all() {
    run "three killed clients" killed
    run "control, the statements time out" timed_out
    "${direct[@]}" --command "ALTER SYSTEM SET client_connection_check_interval = '100ms'" \
        --command "SELECT pg_reload_conf()" >/dev/null
    run "control, the server looks at its clients" killed
}
all >"$tmp/seen"

as_stated 'three killed clients: 3 sessions wait, of clients that are gone
  after the release: 0
control, the statements time out: 0 sessions wait, of clients that are gone
  after the release: 0
control, the server looks at its clients: 0 sessions wait, of clients that are gone
  after the release: 0' "$(cat "$tmp/seen")"
