#!/usr/bin/env bash
# Installs what is missing of tools/packages.txt, and the packages of npm that examples/real_locks
# judges; without those, their tests are skipped, but not in CI. When nothing is missing it needs neither root nor
# a network and prints nothing. `setup.sh compare` is about tools/packages_compare.txt instead: those
# are optional, so it installs them only as root, and fails for nothing.
set -euo pipefail

optional=""
list="$(dirname "$0")/packages.txt"
if [[ "${1:-}" == compare ]]; then
    optional=yes
    list="$(dirname "$0")/packages_compare.txt"
fi

give_up() {
    [[ -z "$optional" ]] || exit 0
    exit 1
}

if ! command -v dpkg-query >/dev/null; then
    echo "setup: this is not Debian; please install yourself what $list names" >&2
    give_up
fi

missing=()
while read -r package; do
    status="$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)"
    [[ "$status" == installed ]] || missing+=("$package")
done < <(sed -e 's/#.*//' -e '/^[[:space:]]*$/d' "$list")

# With a release of Node.js that brings npm along, Debian's npm cannot be installed.
npm_packages() {
    [[ -z "$optional" ]] || return 0
    local folder
    folder="$(dirname "$0")/../examples/real_locks"
    local installed="$folder/node_modules/.package-lock.json"
    [[ ! -f "$installed" || "$folder/package-lock.json" -nt "$installed" ]] || return 0
    if ! command -v npm >/dev/null && [[ "$(id -u)" == 0 ]]; then
        apt-get update -qq >&2 || true
        env DEBIAN_FRONTEND=noninteractive \
            apt-get install -y -qq --no-install-recommends npm >&2 || true
    fi
    if ! npm ci --prefix "$folder" --silent >&2; then
        echo "setup: npm could not install what $folder/package-lock.json names;" >&2
        echo "setup: tests of these libraries are skipped, and fail in CI" >&2
        [[ -z "${CI:-}" ]] || exit 1
    fi
}

if [[ ${#missing[@]} == 0 ]]; then
    npm_packages
    exit 0
fi

echo "setup: missing ${optional:+optional }Debian packages: ${missing[*]}" >&2
if [[ "$(id -u)" == 0 ]]; then
    as_root=()
elif [[ -z "$optional" ]] && command -v sudo >/dev/null; then
    as_root=(sudo)
else
    echo "setup: not root${optional:+, go on without them}; as root:" >&2
    echo "    apt-get install --no-install-recommends ${missing[*]}" >&2
    give_up
fi

install_missing() {
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2
}
if ! { "${as_root[@]}" apt-get update -qq >&2 && install_missing; }; then
    echo "setup: apt-get could not install: ${missing[*]}" >&2
    echo "setup: is there a network, and is this Debian 12 (bookworm)?" >&2
    give_up
fi
npm_packages
