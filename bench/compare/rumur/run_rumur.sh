#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0

# usage: run_rumur.sh BUCKETS MAX_PER TRIES cold|warm full|none [off|heuristic|exhaustive]
#   BUCKETS: buckets seen by each caller, 1 to 4, e.g. 1,1,2,2 (their order changes nothing)
#   the last argument: Rumur's --symmetry-reduction, default off
# Prints one line of JSON.  Environment:
#   MERGE_IDLE=1  see canal_lock.m
#   CAPACITY=n    bytes of the first hash table (default 64 MiB; it grows by itself)
#   REPEAT=n      runs; the one with the median CPU time is reported (default 5)
#   CHECKER_CC, CHECKER_CFLAGS  the compiler of the checker (default gcc), and its options
set -euo pipefail
if [ $# -lt 5 ] || [ $# -gt 6 ]; then sed -n '4,12s/^# \{0,1\}//p' "$0" >&2; exit 2; fi
here=$(cd "$(dirname "$0")" && pwd)
buckets=$1 max_per=$2 tries=$3 start=$4 manager=$5 symmetry=${6:-off}
case $start in cold) warm=0 ;; warm) warm=1 ;; *) echo "cold or warm, not $start" >&2; exit 2 ;; esac
case $manager in none) full=0 ;; full) full=1 ;; *) echo "full or none, not $manager" >&2; exit 2 ;; esac
merge=${MERGE_IDLE:-0}

IFS=, read -r -a seen <<<"$buckets"
nb=0
count=(0 0 0 0 0)
for view in "${seen[@]}"; do
    case $view in [1-4]) ;; *) echo "buckets are 1 to 4, not $view" >&2; exit 2 ;; esac
    count[view]=$((count[view] + 1))
    if [ "$view" -gt "$nb" ]; then nb=$view; fi
done

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
# -x c: the suffix .m means Objective-C to the preprocessor.
cpp -x c -undef -P -o "$tmp/model.m" \
    "-DSEEING_1=${count[1]}" "-DSEEING_2=${count[2]}" "-DSEEING_3=${count[3]}" \
    "-DSEEING_4=${count[4]}" "-DN=${#seen[@]}" "-DNB=$nb" "-DMAX_PER=$max_per" \
    "-DMAX_DECR_TRIES=$tries" "-DWARM=$warm" "-DMANAGER_FULL=$full" "-DMERGE_IDLE=$merge" \
    "$here/canal_lock.m"
# Terminal states are no errors here, and nobody reads traces.
rumur --quiet --threads 1 --deadlock-detection off --counterexample-trace off \
    --scalarset-schedules off --symmetry-reduction "$symmetry" \
    --set-capacity "${CAPACITY:-67108864}" --output-format machine-readable \
    --output "$tmp/checker.c" "$tmp/model.m"
# shellcheck disable=SC2086
"${CHECKER_CC:-gcc}" -w ${CHECKER_CFLAGS:--O3 -march=native} -o "$tmp/checker" "$tmp/checker.c" -lpthread

kind=$([ "$manager" = full ] && echo manager || echo counters)
scope="$kind N=${#seen[@]} buckets=$buckets max_per=$max_per tries=$tries $start"
python3 - "$tmp/checker" "${REPEAT:-5}" "$(rumur --version)" "$symmetry" \
    "$scope merge_idle=$merge" <<'PYTHON'
import json, os, re, subprocess, sys, time

checker, repeat, version, symmetry, scope = sys.argv[1:]
runs = []
for _ in range(int(repeat)):
    begin = time.monotonic()
    child = subprocess.Popen([checker], stdout=subprocess.PIPE, text=True)
    output = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    summary = re.search(r'<summary states="(\d+)" rules_fired="(\d+)" errors="(\d+)"', output)
    if status != 0 or not summary or summary.group(3) != "0":
        sys.exit("rumur: search incomplete or failed:\n" + output[-2000:])
    runs.append((max(usage.ru_utime + usage.ru_stime, 0.001), time.monotonic() - begin,
                 usage.ru_maxrss / 1024, int(summary.group(1)), int(summary.group(2))))
cpu, wall, mib, states, fired = sorted(runs)[len(runs) // 2]
print(json.dumps({
    "tool": "rumur", "version": version.split()[-1], "scope": scope, "symmetry": symmetry,
    "states": states, "transitions": fired, "seconds": round(cpu, 3), "cpu_s": round(cpu, 3),
    "wall_s": round(wall, 3), "states_per_s": round(states / cpu),
    "transitions_per_s": round(fired / cpu), "bytes_per_state": round(mib * 2**20 / states, 1),
    "total_mib": round(mib, 1), "runs": len(runs)}))
PYTHON
