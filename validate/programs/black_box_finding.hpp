// SPDX-License-Identifier: Apache-2.0

// What a recorded run shows beside what a model says of its history. Made by BlackBoxRun and
// run_black_box, printed by reports/.
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
    std::string name;                  // "P2 leak", "expired on return"
    std::string reason;                // one sentence, with the operations
    std::vector<std::size_t> records;  // positions in the history that show it, rising
};

[[nodiscard]] inline BlackBoxFinding finding_of(const Property& property, std::string reason,
                                                std::vector<std::size_t> records) {
    return {"P" + std::to_string(property.number) + " " + std::string(property.name),
            std::move(reason), std::move(records)};
}

// P23 token-order, of a recorded history: a grant that was asked for after another had returned has
// a larger token of the key, and no two grants have the same one, except that a holder which
// acquires again may get that of its hold again.
[[nodiscard]] bool has_tokens(const RecordedHistory& history);
// The first grant whose token does not rise.
[[nodiscard]] std::optional<BlackBoxFinding> find_token_fault(const RecordedHistory& history,
                                                              const Property& property);

}  // namespace lockkeeper
