#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0

# Installs the libraries that the drivers beside it hold: install.sh [FOLDER]
# What package.json pins goes to FOLDER, else $LOCKKEEPER_LIBRARIES, else build/libraries. No program of a package is
# run. Those of Python and Ruby are Debian's packages: the last line says which are missing.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
folder="${1:-${LOCKKEEPER_LIBRARIES:-$here/../../../build/libraries}}"

mkdir -p "$folder"
cp "$here/package.json" "$here/package-lock.json" "$folder/"
npm ci --prefix "$folder" --ignore-scripts --no-fund --no-audit --loglevel=error

missing=()
for name in python3-tooz python3-rq python3-kazoo libzookeeper-java nats-server ruby-activerecord ruby-mysql2 ruby-pg; do
    [[ "$(dpkg-query -W -f '${db:Status-Status}' "$name" 2>/dev/null)" == installed ]] || missing+=("$name")
done
command -v java > /dev/null || missing+=(default-jre-headless)
if [[ ${#missing[@]} != 0 ]]; then
    echo "install: not installed: ${missing[*]}; as root: apt-get install --no-install-recommends ${missing[*]}"
fi
