#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0

# clang-format over every C++ file of the repository: `-i` to change, `--dry-run -Werror` to check.
set -euo pipefail
cd "$(dirname "$0")/../.."
git ls-files -z --cached --others --exclude-standard -- '*.cpp' '*.hpp' '*.cc' '*.h' |
    while IFS= read -r -d '' file; do [[ -f "$file" ]] && printf '%s\0' "$file"; done |
    xargs -0 --no-run-if-empty clang-format --style=file "$@"
