#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0

# Builds the site of docs/ into a directory, build/site when none is named. A dead link is an error.
# Without MkDocs it exits with 77, which ctest shows as skipped; where the variable CI is set it fails.
set -euo pipefail
cd "$(dirname "$0")/../.."

if ! command -v mkdocs >/dev/null; then
    echo "site: MkDocs is not installed (Debian: mkdocs-material)" >&2
    [[ -z "${CI:-}" ]] || exit 1
    exit 77
fi
mkdocs build --quiet --strict --site-dir "$(realpath -m "${1:-build/site}")"
