#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: postgresql-15 15.18 or later (Debian 12).
# Expected: UPDATE ... WHERE id IN (SELECT id ... LIMIT 1 FOR UPDATE SKIP LOCKED) claims one job. The manual (SELECT,
#   The Locking Clause) names SKIP LOCKED for several consumers of a table that is a queue, and says that locking
#   stops when a LIMIT has enough rows.
# Really: the LIMIT holds for one run of the subquery, and the planner decides how often the subquery runs. If the
#   table had one row at the last ANALYZE, and still fills one page, the planner runs it once for each row. Each run
#   skips the rows that this statement has changed and locks the next one: one worker claims all 100 jobs that have
#   come since. If the worker looks at the first row only, 99 jobs are taken and nobody does them. The next ANALYZE
#   ends this. The autovacuum runs it when some 50 rows have changed, once a minute at most.
# Seen: the lines at the end of this script. Controls: = instead of IN; a materialized WITH; no locking clause; the
#   same statement after ANALYZE.

set -euo pipefail
source "$(dirname "$0")/common.sh"
# Without the autovacuum nobody but this script runs ANALYZE.
start_postgresql autovacuum=off

sql() { "$programs/psql" -qAt -h "$tmp" -U tester -d postgres 2>>"$tmp/log"; }

# claim TITLE STATEMENT [COMMAND]: two workers, one after the other, at a queue with 100 jobs that had one before.
claim() {
    local worker
    sql <<SQL
DROP TABLE IF EXISTS job;
CREATE TABLE job (id int PRIMARY KEY, state text NOT NULL);
INSERT INTO job VALUES (0, 'new');
ANALYZE job;
DELETE FROM job;
INSERT INTO job SELECT i, 'new' FROM generate_series(1, 100) AS i;
${3-}
SQL
    echo "$1 ($(sql <<<"EXPLAIN $2" | grep -m 1 -oE '(Nested Loop|Hash)( Semi)? Join|Nested Loop|InitPlan|CTE'))"
    for worker in first second; do
        echo "  the $worker worker claims $(sql <<<"$2 RETURNING id" | wc -l)"
    done
}

next="SELECT id FROM job WHERE state = 'new' ORDER BY id LIMIT 1"
lock='FOR UPDATE SKIP LOCKED'
take="UPDATE job SET state = 'taken' WHERE id"
{
    claim IN "$take IN ($next $lock)"
    claim 'control: =' "$take = ($next $lock)"
    claim 'control: WITH' "WITH one AS MATERIALIZED ($next $lock) $take IN (SELECT id FROM one)"
    claim 'control: no lock' "$take IN ($next)"
    claim 'control: after ANALYZE' "$take IN ($next $lock)" 'ANALYZE job'
} >"$tmp/seen"
as_stated 'IN (Nested Loop Semi Join)
  the first worker claims 100
  the second worker claims 0
control: = (InitPlan)
  the first worker claims 1
  the second worker claims 1
control: WITH (CTE)
  the first worker claims 1
  the second worker claims 1
control: no lock (Nested Loop Semi Join)
  the first worker claims 1
  the second worker claims 1
control: after ANALYZE (Hash Semi Join)
  the first worker claims 1
  the second worker claims 1' "$(cat "$tmp/seen")"
