#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0

# Fuzzes the scenarios of a directory, with another seed in each run. The corpus is tried first and
# keeps the trace of each failure: a build server hands it from one run to the next.
# Usage: fuzz_locks.sh SCENARIOS CORPUS SEED
set -euo pipefail
lockkeeper fuzz "$1" --quiet --keep-going --out "$2" --seed "$3" --time-limit "${FUZZ_TIME:-60s}"
