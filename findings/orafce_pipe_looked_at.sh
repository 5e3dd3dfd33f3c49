#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: postgresql-15-orafce 4.1.1 (Debian 12) on PostgreSQL 15.
# Expected: dbms_pipe.receive_message() with a time-out of 0 looks for a message; what it did not find is not there
#   afterwards.
# Really: each look at a name makes a pipe of that name, which nobody removes: after thirty names that were looked for
#   nobody can send under another name, in any session.
# Seen: the lines at the end of this script; 0 is a success, 1 a time-out. Controls: nobody looked; a name that is
#   purged.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian postgresql-15-orafce '4.1.1-*'
start_postgresql

ask() {
    "$programs/psql" -h "$tmp" -U tester -d postgres -X -q -A -t -c "$1" 2>&1
}
send() {
    ask "SELECT dbms_pipe.pack_message('job'); SELECT dbms_pipe.send_message('$1', 0)" | tail -n 1
}
ask 'CREATE EXTENSION orafce' >"$tmp/said" 2>&1
{
    echo "control, nobody looked: send $(send early), receive $(ask "SELECT dbms_pipe.receive_message('early', 0)")"
    for number in {1..40}; do
        ask "SELECT dbms_pipe.receive_message('jobs of host $number', 0)"
    done | sort | uniq -c | xargs echo 'forty looks, answers:'
    echo "pipes: $(ask 'SELECT count(*) FROM dbms_pipe.db_pipes')"
    echo "then: send $(send late)"
    ask "SELECT dbms_pipe.remove_pipe('jobs of host 1')" >/dev/null
    echo "control, one of them was removed: send $(send late)"
} >"$tmp/seen"

as_stated 'control, nobody looked: send 0, receive 0
forty looks, answers: 40 1
pipes: 30
then: send 1
control, one of them was removed: send 0' "$(cat "$tmp/seen")"
