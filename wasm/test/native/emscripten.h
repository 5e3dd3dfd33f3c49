// SPDX-License-Identifier: Apache-2.0

// In the place of emscripten's header where wasm/browser is compiled without it, to see what the
// module would lack (wasm/test/links.py). Nothing of it runs.
#pragma once

// JavaScript takes them.
#pragma GCC diagnostic ignored "-Wunused-parameter"

#define EMSCRIPTEN_KEEPALIVE __attribute__((used))
#define EM_JS(type, name, parameters, ...) \
    extern "C" type name parameters { __builtin_unreachable(); }
