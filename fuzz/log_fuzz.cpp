// SPDX-License-Identifier: Apache-2.0

// Any bytes as a log for `explain`, in each format: sources of observations, or a LogError that a
// terminal can show. The first byte says in which format the rest is read.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <string>
#include <string_view>

#include "validate/logs/read_log.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace lockkeeper::logs;
    if (size == 0) {
        return 0;
    }
    const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
    static const Mapping kMapping = [] {
        Mapping with_pattern;
        with_pattern.pattern = "^(?<time>\\S+) (?<caller>\\S+) (?<operation>.*)$";
        return with_pattern;
    }();
    try {
        LogsReader reader(kMapping);
        reader.read_text(text, "input", static_cast<Format>(data[0] % std::size(kFormatNames)));
        const ReadLogs read = reader.end();
        if (read.logs.sources.empty()) {
            std::abort();  // a log in which nothing is about a lock is refused
        }
    } catch (const LogError& error) {
        for (const char one : std::string_view(error.what())) {
            if (static_cast<unsigned char>(one) < ' ' && one != '\n') {
                std::abort();
            }
        }
    }
    return 0;
}
