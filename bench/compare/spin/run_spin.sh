#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0

# usage: run_spin.sh BUCKETS MAX_PER TRIES cold|warm full|none
#   BUCKETS: buckets seen by each caller, e.g. 1,1,2,2 (its length is N, 1..8)
# The canal lock: prints one line of JSON.  Environment: that of run_pan.sh, and
#   MERGE_IDLE=1  see canal_lock.pml
set -euo pipefail
if [ $# -ne 5 ]; then sed -n '4,7s/^# \{0,1\}//p' "$0" >&2; exit 2; fi
here=$(cd "$(dirname "$0")" && pwd)
buckets=$1 max_per=$2 tries=$3 start=$4 manager=$5
case $start in cold) warm=0 ;; warm) warm=1 ;; *) echo "cold or warm, not $start" >&2; exit 2 ;; esac
case $manager in none) full=0 ;; full) full=1 ;; *) echo "full or none, not $manager" >&2; exit 2 ;; esac
merge=${MERGE_IDLE:-0}

IFS=, read -r -a seen <<<"$buckets"
n=${#seen[@]} nb=0
defs=()
for i in "${!seen[@]}"; do
  defs+=("-DB$i=${seen[$i]}")
  if [ "${seen[$i]}" -gt "$nb" ]; then nb=${seen[$i]}; fi
done
if [ "$n" -gt 8 ] || [ "$nb" -gt 4 ]; then echo "at most 8 callers and 4 buckets" >&2; exit 2; fi
kind=$([ "$manager" = full ] && echo manager || echo counters)
exec "$here/run_pan.sh" canal_lock.pml \
  "$kind N=$n buckets=$buckets max_per=$max_per tries=$tries $start merge_idle=$merge" \
  "${defs[@]}" "-DN=$n" "-DNB=$nb" "-DMAX_PER=$max_per" "-DMAX_DECR_TRIES=$tries" \
  "-DWARM=$warm" "-DMANAGER_FULL=$full" "-DMERGE_IDLE=$merge"
