// SPDX-License-Identifier: Apache-2.0

// Any bytes as a line of a program from outside: a message, or one line that says why not.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <variant>

#include "validate/programs/message.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view line(reinterpret_cast<const char*>(data), size);
    const auto parsed = lockkeeper::parse_message(line);
    if (const auto* error = std::get_if<std::string>(&parsed)) {
        if (error->empty() || error->find('\n') != std::string::npos) {
            std::abort();
        }
        return 0;
    }
    const auto& message = std::get<lockkeeper::Message>(parsed);
    if (lockkeeper::is_question(message.kind) == message.in_reply_to.has_value()) {
        std::abort();
    }
    return 0;
}
