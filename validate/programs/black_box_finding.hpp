// SPDX-License-Identifier: Apache-2.0

// A violation that a recorded run shows without a model of its history. BlackBoxRun and
// run_black_box make it, reports/ prints it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/property.hpp"
#include "validate/histories/recorded.hpp"

namespace lockkeeper {

struct BlackBoxFinding {
    const Property* property = nullptr;  // null: no property, but "expired on return"
    std::string name;                    // "P2 leak", "expired on return"
    std::string reason;                  // one sentence, with the operations
    std::vector<std::size_t> records;    // positions in the history that show it, rising
};

[[nodiscard]] inline BlackBoxFinding finding_of(const Property& property, std::string reason,
                                                std::vector<std::size_t> records) {
    return {&property, "P" + std::to_string(property.number) + " " + std::string(property.name),
            std::move(reason), std::move(records)};
}

}  // namespace lockkeeper
