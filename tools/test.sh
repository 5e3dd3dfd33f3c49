#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0

# Builds a preset and runs its tests: tools/test.sh release [ARGUMENTS OF CTEST]
# When all tests have passed and nothing that they read has changed since, it shows that summary once more
# and runs nothing. FRESH=1 runs them all the same; so does every call with arguments of ctest.
set -euo pipefail
cd "$(dirname "$0")/.."
preset="$1"
shift
directory="build/$preset"
passed="$directory/all_tests_passed"

# A check of address space layouts: the thread sanitizer cannot use every one of them.
prefix=()
[[ "$preset" != tsan ]] || ! setarch -R true 2>/dev/null || prefix=(setarch -R)

# What a test can see: every file of the tree, what was built, the packages of the machine, and the variables
# that tests read.
state() {
    {
        find . \( -path ./build -o -path ./.git -o -name __pycache__ \) -prune -o -type f -print0 |
            sort -z | xargs -0 -n 500 sha256sum
        find "$directory" -maxdepth 2 -type f -executable -print0 | sort -z | xargs -0 sha256sum
        sha256sum /var/lib/dpkg/status "$directory/CMakeCache.txt" 2>/dev/null || true
        env | grep -E '^(CI|CXX|CXXFLAGS|RC_PARAMS|[AUTL]+SAN_OPTIONS|GTEST_.*|LOCKKEEPER_.*)=' | sort || true
    } | sha256sum
}

# What has nothing to show there is not built.
case "$preset" in
    tsan) export LOCKKEEPER_TARGETS="scheduler_test native_test" ;;
    mpi) export LOCKKEEPER_TARGETS="lockkeeper lockkeeper-mpi" ;;
esac
tools/build.sh "$preset"
before="$(state)"
if [[ $# == 0 && -z "${FRESH:-}" && -f "$passed" && "$(head -n 1 "$passed")" == "$before" ]]; then
    echo "Nothing has changed since all tests of $directory passed, on $(sed -n 2p "$passed"). FRESH=1 runs them again."
    tail -n +3 "$passed"
    exit 0
fi
rm -f "$passed"
# Many tests wait for other processes or for real time: twice as many at once as there are processors.
log="$directory/tests.log"
"${prefix[@]}" ctest --preset "$preset" --parallel "$((2 * $(nproc)))" "$@" | tee "$log"
[[ $# == 0 ]] || exit 0
{
    echo "$before"
    date '+%F %R'
    sed -n '/^100% tests passed/,$p' "$log"
} >"$passed.new"
mv "$passed.new" "$passed"
