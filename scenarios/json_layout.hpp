// SPDX-License-Identifier: Apache-2.0

// How JSON is laid out in the files that people read and edit.
#pragma once

#include <string>

#include "model/json.hpp"

namespace lockkeeper {

// Four spaces per level; what fits into 100 columns stands in one line, the document itself
// apart. Keys stay in their order; ends with a line end. Text that is not UTF-8 is replaced.
[[nodiscard]] std::string laid_out(const nlohmann::ordered_json& document);

}  // namespace lockkeeper
