#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0

# Installs what is missing, and says so before it does. When nothing is missing it needs neither root
# nor a network and prints nothing.
#   setup.sh           all of tools/packages.txt, and the packages of npm that examples/real_locks
#                      judges; without those, their tests are skipped, but not in CI
#   setup.sh command   what the command is built with, no more
#   setup.sh package   the same, and what makes a Debian package of it
#   setup.sh build     what everything is built and checked with, but nothing that only tests start
#   setup.sh mpi       tools/packages_mpi.txt, besides: for lockkeeper-mpi
#   setup.sh wasm      tools/packages_wasm.txt, no more: for the playground
#   setup.sh compare   tools/packages_compare.txt: optional, so it installs them only as root, and
#                      fails for nothing
#   setup.sh clinic    tools/packages_clinic.txt, in the same way
#   setup.sh firefox   tools/packages_firefox.txt, in the same way
set -euo pipefail

what="${1:-all}"
list="$(dirname "$0")/packages.txt"
[[ ! "$what" =~ ^(clinic|compare|firefox|mpi|wasm)$ ]] || list="$(dirname "$0")/packages_$what.txt"

is_optional() { [[ "$what" =~ ^(clinic|compare|firefox)$ ]]; }
give_up() {
    ! is_optional || exit 0
    exit 1
}

# One line for each thing that is needed: "NAME" or "NAME | NAME".
needed() {
    local until='$'
    if [[ "$what" =~ ^(command|package|build)$ ]]; then until="/^# == .*$what needs no more/"; fi
    sed -n -e "1,${until}p" "$list" | sed -e 's/#.*//' -e '/^[[:space:]]*$/d'
}

if ! command -v dpkg-query >/dev/null; then
    echo "setup: this is not Debian or Ubuntu, so nothing is installed. Needed are a C++20 compiler" >&2
    echo "setup: (g++ 11, clang 14, or newer), and what these packages of Debian hold:" >&2
    needed | sed -e 's/^/setup:     /' >&2
    give_up
fi

# With a release of Node.js that brings npm along, Debian's npm cannot be installed.
is_installed() {
    [[ "$1" == npm ]] && command -v npm >/dev/null && return
    [[ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" == installed ]]
}
# Without `| grep -q`: where grep has seen enough apt-cache can end with an error, and then it is none.
is_known() { [[ "$(LC_ALL=C apt-cache policy "$1" 2>/dev/null)" == *"Candidate: "[^\(]* ]]; }

# The name to install of "NAME | NAME", or nothing where one of them is there.
missing_of() {
    local name first=""
    for name in ${1//|/ }; do
        if is_installed "$name"; then return; fi
    done
    for name in ${1//|/ }; do
        if [[ -z "$first" ]] || is_known "$name"; then first="$name"; fi
        if is_known "$name"; then break; fi
    done
    echo "$first"
}

find_missing() {
    local alternatives name
    missing=()
    while read -r alternatives; do
        name="$(missing_of "$alternatives")"
        [[ -z "$name" ]] || missing+=("$name")
    done < <(needed)
}
find_missing

npm_packages() {
    [[ "$what" == all ]] || return 0
    local folder
    folder="$(dirname "$0")/../examples/real_locks"
    local installed="$folder/node_modules/.package-lock.json"
    [[ ! -f "$installed" || "$folder/package-lock.json" -nt "$installed" ]] || return 0
    if ! npm ci --prefix "$folder" --silent --fetch-retry-mintimeout=500 --fetch-retry-maxtimeout=2000 >&2; then
        echo "setup: npm could not install what $folder/package-lock.json names;" >&2
        echo "setup: tests of these libraries are skipped, and fail in CI" >&2
        [[ -z "${CI:-}" ]] || exit 1
    fi
}

if [[ ${#missing[@]} == 0 ]]; then
    npm_packages
    exit 0
fi

optional=""
! is_optional || optional="optional "
if [[ "$(id -u)" == 0 ]]; then
    as_root=()
elif [[ -z "$optional" ]] && command -v sudo >/dev/null; then
    as_root=(sudo)
else
    echo "setup: missing ${optional}packages; as root:" >&2
    echo "    apt-get install --no-install-recommends ${missing[*]}" >&2
    give_up
fi

echo "setup: installing the missing ${optional}packages ${missing[*]}" >&2
install_missing() {
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2
}
# Which of several names this release has is known only now.
if ! { "${as_root[@]}" apt-get update -qq >&2 && find_missing && install_missing; }; then
    echo "setup: apt-get could not install: ${missing[*]}" >&2
    echo "setup: is there a network, and is this Debian 12 or newer, or Ubuntu 24.04 or newer?" >&2
    give_up
fi
npm_packages
