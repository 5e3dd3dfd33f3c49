// SPDX-License-Identifier: Apache-2.0

// The page's worker calls this: the requests of the explorer, with texts that end with a zero, in
// and out. exports_command.cpp has the engine's other call.
#include <emscripten.h>

#include <filesystem>
#include <string>

#include "wasm/browser/kept_engine.hpp"

// NOLINTBEGIN: JavaScript
EM_JS(void, lockkeeper_tell, (const char* json), {
    if (Module["tell"]) {
        Module["tell"](UTF8ToString(json));
    }
});
// NOLINTEND

namespace lockkeeper {
namespace {

// A page can have 4 GiB, of which a part is the code's own and the allocator's.
constexpr std::uint64_t kBytesMax = std::uint64_t{2} << 30U;

}  // namespace

Engine& kept_engine() {
    static Engine kept = [] {
        const std::filesystem::path directory = "/lockkeeper";
        std::filesystem::create_directory(directory);
        return Engine(
            {directory, kBytesMax, [](const std::string& json) { lockkeeper_tell(json.c_str()); }});
    }();
    return kept;
}

const char* kept_until_next(std::string text) {
    static std::string kept;
    kept = std::move(text);
    return kept.c_str();
}

}  // namespace lockkeeper

extern "C" {

EMSCRIPTEN_KEEPALIVE const char* lockkeeper_answer(const char* name, const char* json) {
    return lockkeeper::kept_until_next(lockkeeper::kept_engine().answer(name, json));
}
}
