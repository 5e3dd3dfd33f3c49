#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0

# Runs the scenarios of a directory as tests and leaves what build servers show: JUnit, SARIF, a
# summary, and a trace of each failure. The exit code is lockkeeper's, so the job fails with it.
# Usage: check_locks.sh SCENARIOS [REPORTS]
set -euo pipefail
scenarios="$1"
reports="${2:-lockkeeper-reports}"
mkdir -p "$reports"
lockkeeper run "$scenarios" --quiet --out "$reports/traces" \
    --report "$reports/lockkeeper.junit.xml" \
    --report "$reports/lockkeeper.sarif" \
    --report "$reports/summary.md"
