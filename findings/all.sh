#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs every find of this folder, or those named: findings/all.sh [NAME...]. Exit code 1 when one of them
# behaves otherwise than stated, else 2 when one could not be judged, else 0.

set -euo pipefail
cd "$(dirname "$0")"

names=("$@")
if [[ ${#names[@]} == 0 ]]; then
    for file in *.sh; do
        [[ $file == all.sh || $file == common.sh ]] || names+=("${file%.sh}")
    done
fi

worst=0
for name in "${names[@]}"; do
    echo "== $name"
    code=0
    timeout 300 "./$name.sh" || code=$?
    if [[ $code == 2 && $worst == 0 ]]; then
        worst=2
    elif [[ $code != 0 && $code != 2 ]]; then
        worst=1
    fi
done
exit "$worst"
