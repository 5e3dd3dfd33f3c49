#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0

# Configures (when needed) and builds presets: tools/build.sh release asan
# LOCKKEEPER_TARGETS names what to build; everything when it is empty.
# `command` is build/release without tests: once that folder has tests it keeps them.
# Prints nothing when everything is up to date, apart from ninja's status line on a terminal.
set -euo pipefail
cd "$(dirname "$0")/.."

cached() { sed -n "s/^$2:[A-Z]*=//p" "$1/CMakeCache.txt" 2>/dev/null; }

configure() {
    local preset="$1" directory="$2"
    shift 2
    mkdir -p "$directory"
    echo "configuring $directory" >&2
    if ! cmake --preset "$preset" "$@" >"$directory/configure.log" 2>&1; then
        cat "$directory/configure.log" >&2
        exit 1
    fi
    grep -A 8 'CMake.*Warning' "$directory/configure.log" >&2 || true
    echo "${CXX:-}" >"$directory/cxx"
}

for preset in "$@"; do
    directory="build/$preset"
    if [[ "$preset" == command ]]; then
        directory=build/release
        [[ "$(cached "$directory" LOCKKEEPER_TESTS)" != ON ]] || preset=release
    fi
    if [[ -f "$directory/CMakeCache.txt" ]] &&
        { [[ "$(cached "$directory" CMAKE_HOME_DIRECTORY)" != "$PWD" ]] ||
            [[ -f "$directory/cxx" && "$(<"$directory/cxx")" != "${CXX:-}" ]]; }; then
        # For another compiler, or in another place, nothing of it can be used.
        configure "$preset" "$directory" --fresh
    elif [[ ! -f "$directory/build.ninja" || CMakePresets.json -nt "$directory/build.ninja" ]] ||
        [[ "$preset" == release && "$(cached "$directory" LOCKKEEPER_TESTS)" == OFF ]]; then
        # ninja runs cmake again when a CMake file changes; it does not know about the presets.
        configure "$preset" "$directory"
    fi
    tools/check_preset.py "$preset"
    quiet=()
    [[ -t 1 ]] || quiet=(--quiet)
    ninja -C "$directory" -j "${LOCKKEEPER_BUILD_JOBS:-$(nproc)}" "${quiet[@]}" ${LOCKKEEPER_TARGETS:-}
done
