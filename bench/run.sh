#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0

# Runs the benchmarks and, where Debian's `spin` is installed, SPIN on the same atomic steps and scope
# in the same run, in turn, and prints the ratio of distinct states per second. `make bench` calls it.
set -euo pipefail
cd "$(dirname "$0")/.."
benchmark=build/bench/lockkeeper_bench
rounds=${ROUNDS:-5}

"$benchmark" "$@"
if [ -e build/bench/liblockkeeper_threads.a ]; then
    python3 bench/threads/beside_relacy.py build/bench
fi
# Times that are multiplied change nothing, and time that ends hides nothing: as `make test-long`.
if [ -x build/release/tests/impl_descriptor_test ]; then
    LOCKKEEPER_LONG=1 build/release/tests/impl_descriptor_test --gtest_filter='TimeUnitsProperty.*'
fi
# Of the scopes of opposite orders, the one that does not end: how far it comes in a minute.
if [ -x build/release/lockkeeper ]; then
    bench/opposite_orders/run.py monglock_multi || true
fi

if ! command -v spin >/dev/null; then
    echo "spin is not installed: no comparison"
    exit 0
fi
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT
for round in $(seq "$rounds"); do
    "$benchmark" --benchmark_filter='^explore_manager_4/' --benchmark_format=json \
        >"$results/lockkeeper.$round.json" 2>/dev/null
    REPEAT=1 bench/compare/spin/run_spin.sh 1,1,2,2 2 2 cold full >"$results/spin.$round.json"
done
python3 - "$results" <<'PYTHON'
import glob, json, statistics, sys

own = [json.load(open(f))["benchmarks"][0] for f in glob.glob(sys.argv[1] + "/lockkeeper.*")]
spin = [json.load(open(f)) for f in glob.glob(sys.argv[1] + "/spin.*")]
own_rate = statistics.median(run["states/s"] for run in own)
spin_rate = statistics.median(run["states_per_s"] for run in spin)
own_states, spin_states = own[0]["states"], spin[0]["states"]
print(f"\n4 callers seeing 1, 1, 2, 2 buckets, max_per 2, cold, manager in full, no symmetry")
print(f"lockkeeper  {own_states:>12,.0f} states  {own_rate:>12,.0f} states/s  "
      f"{own[0]['bytes/state']:.1f} bytes/state")
print(f"spin        {spin_states:>12,.0f} states  {spin_rate:>12,.0f} states/s  "
      f"{spin[0]['total_mib'] * 2**20 / spin_states:.1f} bytes/state")
print(f"ratio of states per second: {own_rate / spin_rate:.2f}   (medians of {len(own)} rounds)")
if own_states != spin_states:
    sys.exit("the two searches do not agree on the number of states")
PYTHON
