#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: postgresql-15 15.18 or later (Debian 12).
# Expected: a cursor over SELECT ... WHERE pg_try_advisory_lock(id) takes the lock of a job when the job is fetched, so
#   one FETCH claims one job. The manual (DECLARE) has WITH HOLD for a cursor that one uses on after the COMMIT.
# Really: the COMMIT runs the query to its last row, to keep the rows. The worker that has fetched one job holds all 100
#   from then on, and the next worker finds none. A cursor that may go backwards runs the query from its first row
#   again: the worker holds its own job twice, and one unlock does not free it. CLOSE gives nothing back. LIMIT 1 helps
#   against the first and NO SCROLL against the second.
# Seen: the lines at the end of this script. Controls: no WITH HOLD; a ROLLBACK; locks that end with the transaction.

set -euo pipefail
source "$(dirname "$0")/common.sh"
start_postgresql

connected=("$programs/psql" -qAt -h "$tmp" -U tester -d postgres)
locks="SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"
held="$locks AND pid = pg_backend_pid()"
nobody_holds() { [[ $("${connected[@]}" -c "$locks") == 0 ]]; }

# claim TITLE FUNCTION CURSOR [LIMIT] [END] [SCROLL]: one worker fetches one job by a cursor of this kind and keeps its
# connection. The locks of those before it went with their connections.
claim() {
    local close=()
    patiently nobody_holds
    [[ $3 != WITH* || ${5-} == ROLLBACK ]] || close=("CLOSE worker;")
    "${connected[@]}" 2>>"$tmp/log" <<SQL
BEGIN;
DECLARE worker ${6-} CURSOR $3 FOR SELECT id FROM job WHERE $2(id) ORDER BY id ${4-};
FETCH 1 FROM worker \\gset
SELECT ($held) AS fetched \\gset
${5:-COMMIT};
SELECT ($held) AS committed \\gset
${close[*]}
SELECT ($held) AS closed \\gset
\\set found \`${connected[*]} -c 'SELECT count(*) FROM job WHERE pg_try_advisory_lock(id)'\`
SELECT pg_advisory_unlock(:id) \\gset
SELECT ($held AND objid = :id) AS own \\gset
SELECT '$1';
SELECT format('  fetches job %s and holds %s, after ${5:-COMMIT} %s', :id, :fetched, :committed)
    || ', after CLOSE ' || :closed;
SELECT format('  the next worker finds %s; locks of job %s after one unlock: %s', :found, :id, :own);
SQL
}

"${connected[@]}" <<SQL
CREATE TABLE job (id int PRIMARY KEY);
INSERT INTO job SELECT generate_series(1, 100);
SQL
{
    claim 'WITH HOLD' pg_try_advisory_lock 'WITH HOLD'
    claim 'WITH HOLD, LIMIT 1' pg_try_advisory_lock 'WITH HOLD' 'LIMIT 1'
    claim 'NO SCROLL, WITH HOLD' pg_try_advisory_lock 'WITH HOLD' '' '' 'NO SCROLL'
    claim 'control: no WITH HOLD' pg_try_advisory_lock ''
    claim 'control: ROLLBACK' pg_try_advisory_lock 'WITH HOLD' '' ROLLBACK
    claim 'control: locks of the transaction' pg_try_advisory_xact_lock 'WITH HOLD'
} >"$tmp/seen"
as_stated 'WITH HOLD
  fetches job 1 and holds 1, after COMMIT 100, after CLOSE 100
  the next worker finds 0; locks of job 1 after one unlock: 1
WITH HOLD, LIMIT 1
  fetches job 1 and holds 1, after COMMIT 1, after CLOSE 1
  the next worker finds 99; locks of job 1 after one unlock: 1
NO SCROLL, WITH HOLD
  fetches job 1 and holds 1, after COMMIT 100, after CLOSE 100
  the next worker finds 0; locks of job 1 after one unlock: 0
control: no WITH HOLD
  fetches job 1 and holds 1, after COMMIT 1, after CLOSE 1
  the next worker finds 99; locks of job 1 after one unlock: 0
control: ROLLBACK
  fetches job 1 and holds 1, after ROLLBACK 1, after CLOSE 1
  the next worker finds 99; locks of job 1 after one unlock: 0
control: locks of the transaction
  fetches job 1 and holds 1, after COMMIT 0, after CLOSE 0
  the next worker finds 100; locks of job 1 after one unlock: 0' "$(cat "$tmp/seen")"
