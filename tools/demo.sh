#!/usr/bin/env bash
# The demonstration that `make demo` runs.
set -euo pipefail
cd "$(dirname "$0")/.."

build/release/lockkeeper --version
