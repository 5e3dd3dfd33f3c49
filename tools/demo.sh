#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0

# The demonstration that `make demo` runs: a race in a lock that everybody knows, what is wrong with
# the published canal lock, and the repaired one passing in the same scope. A search ends with exit
# code 1 where something is found: that is what is expected here, and checked.
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH="$PWD/build/release:$PATH"

show() {
    local expected=$1
    shift
    local line='$' word
    for word in "$@"; do
        [[ "$word" != *' '* ]] || word="'$word'"
        line+=" $word"
    done
    printf '\n%s\n' "$line"
    local code=0
    "$@" || code=$?
    if [[ $code -ne $expected ]]; then
        echo "demo: exit code $code, expected $expected" >&2
        exit 1
    fi
}

echo "== SET key owner NX PX ttl, given back by a plain DEL: the release removes the lock of the next holder."
show 1 lockkeeper validate -q --program "python3 examples/outside/set_nx_px.py --plain-delete" built-in:lease-expiry

if [[ -s build/release/liblockkeeper_threads.a ]]; then
    echo
    echo "== A limiter in C++ as everybody would write it, unmodified: every execution of its two threads."
    "${CXX:-c++}" -std=c++20 -O1 -g -fsanitize=thread -fno-builtin -c examples/threads/limiter_check_then_act.cpp -o build/demo_limiter.o
    "${CXX:-c++}" build/demo_limiter.o build/release/liblockkeeper_threads.a -pthread -Wl,-z,now -o build/demo_limiter
    show 1 lockkeeper threads -- build/demo_limiter
fi

echo
echo "== Four callers, two units, equal views, no crash: three locks are out."
show 1 lockkeeper explore scenarios/canal/findings/over_allocation_four_callers.json

echo
echo "== Two callers, each acquires and releases once: a unit of capacity is lost for ever."
show 1 lockkeeper explore scenarios/canal/findings/leak_two_callers.json

echo
echo "== The authors' wave test, 14 workers, run for days elsewhere: every interleaving, all that breaks."
show 1 lockkeeper explore -q --keep-going scenarios/canal/wave/synchronised.json

echo
echo "== The same two scopes with the repaired lock: every interleaving, every property."
show 0 lockkeeper explore -q scenarios/canal/repaired/over_allocation_four_callers.json
show 0 lockkeeper explore -q scenarios/canal/repaired/leak_two_callers.json

echo
echo "== The repaired lock for every number of callers, any of whom may crash, and the proof checked by the lock's own steps."
show 0 lockkeeper prove -q scenarios/every_number/repaired.json --force --certificate build/demo.certificate.json
show 0 lockkeeper check-certificate -q build/demo.certificate.json scenarios/every_number/repaired.json
show 1 lockkeeper prove -q scenarios/every_number/published.json

echo
echo "== A lease whose holders have slow clocks and pauses, for every number of callers; with less grace one writes too late."
show 0 lockkeeper prove -q scenarios/every_number/lease.json
show 1 lockkeeper prove -q scenarios/every_number/lease.json --set grace=1

echo
echo "== How often that leak happens, exactly and checked by sampling, and what it means for a load."
show 0 lockkeeper measure -q scenarios/measure/leak_two_callers.json

echo
echo "== The scenarios of the canal lock, each held to its expectation (lockkeeper run scenarios: all)."
show 0 lockkeeper run -q scenarios/canal/findings scenarios/canal/repaired scenarios/canal/seeds scenarios/measure

echo
if [[ -s build/release/page/dist/index.html ]]; then
    echo "== The leak once more, as a page to look at and to pass on."
    show 1 lockkeeper explore -q scenarios/canal/findings/leak_two_callers.json --report build/demo.html
    echo
    echo "Open it in a browser: $PWD/build/demo.html"
else
    echo "== The page of the leak is left out: npm was missing, or had no network, when the command was built."
fi
