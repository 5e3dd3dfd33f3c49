// SPDX-License-Identifier: Apache-2.0

// The command `lockkeeper`, for the page's worker: the larger module alone has it.
#include <emscripten.h>

#include "wasm/browser/kept_engine.hpp"

extern "C" {

EMSCRIPTEN_KEEPALIVE const char* lockkeeper_command(const char* json) {
    return lockkeeper::kept_until_next(lockkeeper::kept_engine().command(json));
}
}
