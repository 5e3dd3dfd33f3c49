#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0

# The tests of the playground: the module in Node.js beside build/release/lockkeeper, and the page in Chromium.
# --all: every shipped scenario that the command runs within 5 s (by default those of same_answers.txt). Exit code 77: the
# module is not there.
set -euo pipefail
cd "$(dirname "$0")/../.."
[[ "${1:-}" != --all ]] || export LOCKKEEPER_ALL=1
if [[ ! -e build/wasm/engine.wasm || ! -e build/wasm/api.wasm ]]; then
    echo "the playground's module is not there: make playground" >&2
    exit 77
fi
node --test wasm/test/*.test.mjs
made=build/wasm/page
rm -rf "$made/test" && cp -r reports/web/test "$made/test"
LOCKKEEPER="${LOCKKEEPER:-$PWD/build/release/lockkeeper}" LOCKKEEPER_SOURCE="$PWD" \
CHROMIUM="${CHROMIUM:-$(command -v chromium-headless-shell || command -v chromium)}" PLAYGROUND="$PWD/build/playground" \
    node --test --test-concurrency=1 "$made"/test/playground*.test.mjs
