#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0

# Runs each fuzzer of build/fuzz for FUZZ_SECONDS (default 60), from the shipped scenarios and what
# earlier runs have learned (build/fuzz/corpus). An input that crashes one is kept in build/fuzz, and
# ends this with its exit code. `make fuzz` calls it.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${FUZZ_SECONDS:-60}
corpus=build/fuzz/corpus
mkdir -p "$corpus"/{scenario,trace,message,certificate,wire,history,log}

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

# The first byte says what the rest is: fuzz/wire_fuzz.cpp, fuzz/log_fuzz.cpp.
printf '\000*2\r\n$3\r\nGET\r\n$1\r\na\r\n' >"$corpus/wire/redis_request"
printf '\001*2\r\n:1\r\n$-1\r\n+OK\r\n' >"$corpus/wire/redis_reply"
printf '\002Q\000\000\000\015SELECT 1\000' >"$corpus/wire/postgresql_request"
printf '\003C\000\000\000\015SELECT 1\000Z\000\000\000\005I' >"$corpus/wire/postgresql_answer"
printf '\004\011\000\000\000\003SELECT 1' >"$corpus/wire/mariadb_request"
printf '\005\000\000\000\055\000\000\000\000\000\000\000\000\000\000\000\000\000\000\017\240%8s\000\000\000\020%16s\000' '' '' >"$corpus/wire/zookeeper_request"
printf '\006\000\000\000\045\000\000\000\000\000\000\017\240%8s\000\000\000\020%16s\000' '' '' >"$corpus/wire/zookeeper_answer"
printf '\007PUB a 5\r\nhello\r\nSUB _INBOX.a.* 1\r\n' >"$corpus/wire/nats"
printf '\012\007\000\000\001\000\000\000\002\000\000\000' >"$corpus/wire/mariadb_answer"
find examples/histories validate/histories/testdata -type f -size -20k -exec cp -n {} "$corpus/history" \;
find examples/incidents -type f -name '*.log' -size -20k -print0 |
    while IFS= read -r -d '' file; do
        for format in 000 001 002 003 004 005 006 007 010 011 012; do
            { printf "\\$format" && cat "$file"; } >"$corpus/log/${file//\//_}.$format"
        done
    done

for input in scenario trace message certificate wire history log; do
    echo "== ${input}_fuzz, $seconds s"
    "build/fuzz/${input}_fuzz" -max_total_time="$seconds" -max_len=20000 -rss_limit_mb=4000 \
        -print_final_stats=1 -verbosity=0 -artifact_prefix=build/fuzz/ "$corpus/$input"
done
