#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0

# usage: run_spin.sh BUCKETS MAX_PER TRIES cold|warm full|none
#   BUCKETS: buckets seen by each caller, e.g. 1,1,2,2 (its length is N, 1..8)
# Prints one line of JSON.  Environment:
#   MERGE_IDLE=1  see canal_lock.pml
#   W=n           2^n hash table slots (default 21; fastest with one to two slots
#                 per state, chained and slower when there are fewer)
#   DEPTH=n       search depth limit (default 10000)
#   PAN_CFLAGS    compiler options for pan.c
#   REPEAT=n      runs; the one with the median CPU time is reported (default 5)
#   PAN_LOG=file  keep the full output of pan
set -euo pipefail
if [ $# -ne 5 ]; then sed -n '4,14s/^# \{0,1\}//p' "$0" >&2; exit 2; fi
here=$(cd "$(dirname "$0")" && pwd)
buckets=$1 max_per=$2 tries=$3 start=$4 manager=$5
cflags=${PAN_CFLAGS:--O3 -march=native -DSAFETY -DNOREDUCE -DNOCOMP -DNOBOUNDCHECK -DNOFAIR -DMEMLIM=18000}
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
defs+=("-DN=$n" "-DNB=$nb" "-DMAX_PER=$max_per" "-DMAX_DECR_TRIES=$tries"
       "-DWARM=$warm" "-DMANAGER_FULL=$full" "-DMERGE_IDLE=$merge")

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cp "$here/canal_lock.pml" "$tmp/"
cd "$tmp"
spin "${defs[@]}" -a canal_lock.pml >spin.log 2>&1 || { cat spin.log >&2; exit 1; }
# shellcheck disable=SC2086
gcc -w $cflags -o pan pan.c
TIMEFORMAT='%U %S %R'
repeat=${REPEAT:-5}
for ((r = 0; r < repeat; r++)); do
  { time ./pan -m"${DEPTH:-10000}" -w"${W:-21}" >"pan.$r.log" 2>&1; } 2>"time.$r" || true
  echo "$r $(cat "time.$r")" >>runs.txt
done
median=$(awk '{ print $2 + $3, $1 }' runs.txt | sort -n | sed -n "$(((repeat + 1) / 2))p" | cut -d' ' -f2)
cp "pan.$median.log" pan.log
cp "time.$median" time.log
cd - >/dev/null
if [ -n "${PAN_LOG:-}" ]; then cp "$tmp/pan.log" "$PAN_LOG"; fi
if ! grep -q 'errors: 0$' "$tmp/pan.log" || grep -qE 'max search depth too small|out of memory|reached -DMEMLIM|Search not completed' "$tmp/pan.log"; then
  echo "search incomplete or failed:" >&2; cat "$tmp/pan.log" >&2; exit 1
fi
read -r user sys wall <"$tmp/time.log"
# pan's "transitions" is stored + matched and counts the initial state as one;
# "transitions" below leaves it out. From a hundred million on pan prints eight digits of a number:
# "transitions_within" says how far that may be from the truth.
awk -v scope="$([ "$manager" = full ] && echo manager || echo counters) N=$n buckets=$buckets max_per=$max_per tries=$tries $start merge_idle=$merge" \
    -v user="$user" -v sys="$sys" -v wall="$wall" -v w="${W:-21}" -v runs="$repeat" '
  /^State-vector/                 { vec = $2; depth = $6 + 0 }
  /states, stored/                { stored = $1 }
  /states, matched/               { matched = $1; if (split($1, part, /e[+]/) == 2) within = 10 ^ (part[2] - 7) / 2 }
  /total actual memory usage|memory usage \(Mbyte\)/ { total = $1 }	# MiB
  END {
    hash = 8 * 2 ^ w / 1048576
    cpu = user + sys; if (cpu <= 0) cpu = 0.001
    tr = stored - 1 + matched
    printf "{\"tool\":\"spin\",\"scope\":\"%s\",\"states\":%d,\"transitions\":%d,\"depth\":%d,", scope, stored, tr, depth
    printf "\"transitions_within\":%d,", within
    printf "\"cpu_s\":%.3f,\"user_s\":%.3f,\"wall_s\":%.3f,\"states_per_s\":%.0f,\"transitions_per_s\":%.0f,", cpu, user, wall, stored / cpu, tr / cpu
    printf "\"state_vector_bytes\":%d,\"bytes_per_state\":%.1f,\"hash_table_mib\":%.1f,\"total_mib\":%.1f,\"runs\":%d}\n", vec, (total - hash) * 1048576 / stored, hash, total, runs
  }' "$tmp/pan.log"
