// SPDX-License-Identifier: Apache-2.0

// The message of a reader for a text that it refuses.
#pragma once

#include <string>
#include <variant>

#include "validate/histories/recorded.hpp"

namespace lockkeeper::testing_histories {

inline std::string refusal_of(const std::string& text) {
    const auto read = parse_history(text, "h");
    const auto* error = std::get_if<HistoryError>(&read);
    return error != nullptr ? error->to_text() : "no complaint";
}

}  // namespace lockkeeper::testing_histories
