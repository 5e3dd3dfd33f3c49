#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0

# The engine as a module of WebAssembly in Node.js, beside the command: the same answers. Compiled quickly (the preset
# wasm-test); the playground itself is tested by `make test-wasm`. LOCKKEEPER: the command, else build/release has it.
# Where emscripten is not there and cannot be installed nothing is tested, and it says so.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! tools/setup.sh wasm || ! command -v emcc >/dev/null; then
    echo "skipped: there is no emscripten, so the engine is not compared in Node.js" >&2
    exit 0
fi
LOCKKEEPER_TARGETS="engine api" tools/build.sh wasm-test
ENGINE="$PWD/build/wasm-test" node --test wasm/test/*.test.mjs
