// SPDX-License-Identifier: Apache-2.0

// A cell of CSV (RFC 4180). Used by what writes tables.
#pragma once

#include <string>

namespace lockkeeper {

// Quoted only where it has to be.
[[nodiscard]] inline std::string csv_field(const std::string& text) {
    if (text.find_first_of(",\"\r\n") == std::string::npos) {
        return text;
    }
    std::string quoted = "\"";
    for (const char character : text) {
        quoted += character == '"' ? std::string("\"\"") : std::string(1, character);
    }
    return quoted + "\"";
}

}  // namespace lockkeeper
