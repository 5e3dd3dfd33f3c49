#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0

# Configures (when needed) and builds presets: tools/build.sh release asan
# LOCKKEEPER_TARGETS names what to build; everything when it is empty.
# Prints nothing when everything is up to date, apart from ninja's status line on a terminal.
set -euo pipefail
cd "$(dirname "$0")/.."

for preset in "$@"; do
    directory="build/$preset"
    # Who builds the command alone has what tests need only by chance.
    flags=()
    is_stale=""
    if [[ "$preset" == release && "${LOCKKEEPER_TARGETS:-}" == "lockkeeper lockkeeper_share" ]]; then
        [[ -f "$directory/build.ninja" ]] || flags+=(-D LOCKKEEPER_TESTS=OFF)
    elif [[ "$preset" == release ]] &&
        grep -qs '^LOCKKEEPER_TESTS:BOOL=OFF' "$directory/CMakeCache.txt"; then
        flags+=(-D LOCKKEEPER_TESTS=ON)
        is_stale=yes
    fi
    # ninja runs cmake again when a CMake file changes; it does not know about the presets.
    if [[ ! -f "$directory/build.ninja" || -n "$is_stale" ||
        CMakePresets.json -nt "$directory/build.ninja" ]]; then
        mkdir -p "$directory"
        echo "building $directory" >&2
        # As CI builds them: several sources at once, from nothing in half the time.
        [[ "$preset" == release || "$preset" == asan ]] && flags+=(-D LOCKKEEPER_UNITY=ON)
        if ! cmake --preset "$preset" "${flags[@]}" >"$directory/configure.log" 2>&1; then
            cat "$directory/configure.log" >&2
            exit 1
        fi
    fi
    quiet=()
    [[ -t 1 ]] || quiet=(--quiet)
    ninja -C "$directory" -j "${LOCKKEEPER_BUILD_JOBS:-$(nproc)}" "${quiet[@]}" ${LOCKKEEPER_TARGETS:-}
done
