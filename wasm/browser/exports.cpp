// SPDX-License-Identifier: Apache-2.0

// The page's worker calls these: the engine's two calls with texts that end with a zero, in and
// out. An answer stays until the next call.
#include <emscripten.h>

#include <filesystem>
#include <string>

#include "wasm/engine/engine.hpp"

// NOLINTBEGIN: JavaScript
EM_JS(void, lockkeeper_tell, (const char* json), {
    if (Module["tell"]) {
        Module["tell"](UTF8ToString(json));
    }
});
// NOLINTEND

namespace {

// A page can have 4 GiB, of which a part is the code's own and the allocator's.
constexpr std::uint64_t kBytesMax = std::uint64_t{2} << 30U;

lockkeeper::Engine& engine() {
    static lockkeeper::Engine kept = [] {
        const std::filesystem::path directory = "/lockkeeper";
        std::filesystem::create_directory(directory);
        return lockkeeper::Engine(
            {directory, kBytesMax, [](const std::string& json) { lockkeeper_tell(json.c_str()); }});
    }();
    return kept;
}

const char* kept_until_next(std::string text) {
    static std::string kept;
    kept = std::move(text);
    return kept.c_str();
}

}  // namespace

extern "C" {

EMSCRIPTEN_KEEPALIVE const char* lockkeeper_answer(const char* name, const char* json) {
    return kept_until_next(engine().answer(name, json));
}

EMSCRIPTEN_KEEPALIVE const char* lockkeeper_command(const char* json) {
    return kept_until_next(engine().command(json));
}
}
