#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0

# Runs each fuzzer of build/fuzz for FUZZ_SECONDS (default 60), from the shipped scenarios and what
# earlier runs have learned (build/fuzz/corpus). An input that crashes one is kept in build/fuzz, and
# ends this with its exit code. `make fuzz` calls it.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${FUZZ_SECONDS:-60}
corpus=build/fuzz/corpus
mkdir -p "$corpus"/{scenario,trace,message,certificate}

find scenarios -name '*.json' -not -path '*/schema/*' -print0 |
    while IFS= read -r -d '' file; do cp -n "$file" "$corpus/scenario/${file//\//_}"; done
build/fuzz/lockkeeper explore -q scenarios/canal/broken scenarios/single_counter \
    --out "$corpus/trace" >/dev/null 2>&1 || true # those that find something write a trace
printf '%s\n' '{"src":"c1","dest":"n1","body":{"type":"acquire","msg_id":1,"key":"db"}}' \
    >"$corpus/message/acquire"
printf '%s\n' '{"src":"n1","dest":"c1","body":{"type":"acquire_ok","in_reply_to":1,"count":2}}' \
    >"$corpus/message/acquire_ok"

build/fuzz/lockkeeper explore -q scenarios/canal/small_scopes/1_caller_unlock_before_down.json --force \
    --certificate "$corpus/certificate/states.json" >/dev/null
build/fuzz/lockkeeper prove -q scenarios/every_number/repaired.json --force \
    --certificate "$corpus/certificate/every_number.json" >/dev/null

for input in scenario trace message certificate; do
    echo "== ${input}_fuzz, $seconds s"
    "build/fuzz/${input}_fuzz" -max_total_time="$seconds" -max_len=20000 -rss_limit_mb=4000 \
        -print_final_stats=1 -verbosity=0 -artifact_prefix=build/fuzz/ "$corpus/$input"
done
