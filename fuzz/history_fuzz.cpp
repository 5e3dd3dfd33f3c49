// SPDX-License-Identifier: Apache-2.0

// Any bytes as a recorded history: JSON Lines, a JSON array, EDN or Jepsen's text. What is accepted
// is the same history when it is written and read again; what is refused is one line.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <variant>

#include "validate/histories/recorded.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace lockkeeper;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const ReadHistory parsed = parse_history(text, "input");
    if (const auto* error = std::get_if<HistoryError>(&parsed)) {
        if (error->to_text().find('\n') != std::string::npos) {
            std::abort();
        }
        return 0;
    }
    const auto& history = std::get<RecordedHistory>(parsed);
    const ReadHistory again = parse_history(write_history(history), "written");
    if (history.records.empty()) {
        return 0;
    }
    const auto* written = std::get_if<RecordedHistory>(&again);
    if (written == nullptr || written->records.size() != history.records.size()) {
        std::abort();
    }
    return 0;
}
