// SPDX-License-Identifier: Apache-2.0

// Names a step, whoever takes it: for the cause of a violation in words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lockkeeper {

// "A1 acquire: read db" is "acquire: read db", "manager: lock db of A1" is "manager: lock db of @".
// `text`: as System::describe gives it. `callers`: their names.
[[nodiscard]] std::string label_without_callers(std::string_view text,
                                                const std::vector<std::string>& callers);

}  // namespace lockkeeper
