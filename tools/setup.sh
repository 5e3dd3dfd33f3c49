#!/usr/bin/env bash
# Installs what is missing of tools/packages.txt. When nothing is missing it needs neither root nor
# a network and prints nothing.
set -euo pipefail

list="$(dirname "$0")/packages.txt"

if ! command -v dpkg-query >/dev/null; then
    echo "setup: this is not Debian; please install yourself what $list names" >&2
    exit 1
fi

missing=()
while read -r package; do
    status="$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)"
    [[ "$status" == installed ]] || missing+=("$package")
done < <(sed -e 's/#.*//' -e '/^[[:space:]]*$/d' "$list")

[[ ${#missing[@]} -gt 0 ]] || exit 0

echo "setup: missing Debian packages: ${missing[*]}" >&2
if [[ "$(id -u)" == 0 ]]; then
    as_root=()
elif command -v sudo >/dev/null; then
    as_root=(sudo)
else
    echo "setup: not root and no sudo; please run as root:" >&2
    echo "    apt-get install --no-install-recommends ${missing[*]}" >&2
    exit 1
fi

install_missing() {
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2
}
if ! { "${as_root[@]}" apt-get update -qq >&2 && install_missing; }; then
    echo "setup: apt-get could not install: ${missing[*]}" >&2
    echo "setup: is there a network, and is this Debian 12 (bookworm)?" >&2
    exit 1
fi
