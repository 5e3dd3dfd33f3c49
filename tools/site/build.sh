#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0

# Builds the site of docs/ into a directory, build/site when none is named. A dead link is an error.
# The playground is part of it where `make playground` has made one: playground/.
# Without MkDocs it exits with 77, which ctest shows as skipped; where the variable CI is set it fails.
set -euo pipefail
cd "$(dirname "$0")/../.."

if ! command -v mkdocs >/dev/null; then
    echo "site: MkDocs is not installed (Debian: mkdocs-material)" >&2
    [[ -z "${CI:-}" ]] || exit 1
    exit 77
fi
site="$(realpath -m "${1:-build/site}")"
mkdocs build --quiet --strict --site-dir "$site"
