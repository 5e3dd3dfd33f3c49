#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0

# usage: run_pan.sh MODEL SCOPE [-DNAME=VALUE]...
#   MODEL: a .pml of this folder; SCOPE: what the result calls it; then the model's parameters
# Every state, or, with SHORTEST=1, the steps of a shortest run to a failed assertion (null: none
# fails; the model has its assertions with CHECK=1). Prints one line of JSON.  Environment:
#   W=n           2^n hash table slots (default 21; fastest with one to two slots
#                 per state, chained and slower when there are fewer)
#   DEPTH=n       search depth limit (default 10000)
#   PAN_CC, PAN_CFLAGS  the compiler of pan.c (default gcc), and its options
#   REPEAT=n      runs; the one with the median CPU time is reported (default 5)
#   PAN_LOG=file  keep the full output of pan
set -euo pipefail
if [ $# -lt 2 ]; then sed -n '4,13s/^# \{0,1\}//p' "$0" >&2; exit 2; fi
here=$(cd "$(dirname "$0")" && pwd)
model=$1 scope=$2; shift 2
cflags=${PAN_CFLAGS:--O3 -march=native -DSAFETY -DNOREDUCE -DNOCOMP -DNOBOUNDCHECK -DNOFAIR -DMEMLIM=18000}
repeat=${REPEAT:-5}
if [ -n "${SHORTEST:-}" ]; then cflags="$cflags -DBFS"; repeat=1; set -- "$@" -DCHECK=1; fi

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cp "$here"/*.pml "$tmp/"
cd "$tmp"
# -o2: without it SPIN forgets variables that no condition reads, and counts fewer states.
spin -o2 "$@" -a "$model" >spin.log 2>&1 || { cat spin.log >&2; exit 1; }
# shellcheck disable=SC2086
"${PAN_CC:-gcc}" -w $cflags -o pan pan.c
TIMEFORMAT='%U %S %R'
for ((r = 0; r < repeat; r++)); do
  { time ./pan -m"${DEPTH:-10000}" -w"${W:-21}" >"pan.$r.log" 2>&1; } 2>"time.$r" || true
  echo "$r $(cat "time.$r")" >>runs.txt
done
median=$(awk '{ print $2 + $3, $1 }' runs.txt | sort -n | sed -n "$(((repeat + 1) / 2))p" | cut -d' ' -f2)
cp "pan.$median.log" pan.log
cp "time.$median" time.log
cd - >/dev/null
if [ -n "${PAN_LOG:-}" ]; then cp "$tmp/pan.log" "$PAN_LOG"; fi
failed=$(sed -n 's/.*assertion violated.*(at depth \([0-9]*\)).*/\1/p' "$tmp/pan.log")
if [ -n "${SHORTEST:-}" ] && [ -n "$failed" ]; then
  # The depth is that of the state in which the step fails.
  echo "{\"tool\":\"spin\",\"scope\":\"$scope\",\"steps\":$((failed + 1))}"
  exit
fi
if ! grep -q 'errors: 0$' "$tmp/pan.log" || grep -qE 'max search depth too small|out of memory|reached -DMEMLIM|Search not completed' "$tmp/pan.log"; then
  echo "search incomplete or failed:" >&2; cat "$tmp/pan.log" >&2; exit 1
fi
if [ -n "${SHORTEST:-}" ]; then echo "{\"tool\":\"spin\",\"scope\":\"$scope\",\"steps\":null}"; exit; fi
read -r user sys wall <"$tmp/time.log"
# pan's "transitions" is stored + matched and counts the initial state as one;
# "transitions" below leaves it out. From a hundred million on pan prints eight digits of a number:
# "transitions_within" says how far that may be from the truth.
awk -v scope="$scope" -v user="$user" -v sys="$sys" -v wall="$wall" -v w="${W:-21}" -v runs="$repeat" '
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
