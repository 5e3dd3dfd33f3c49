// P23 token-order, of a recorded history: a grant that was asked for after another had returned has
// a larger token of the key, and no two grants have the same one, except that a holder which
// acquires again may get that of its hold again. Called by run_black_box where no model was chosen.
#pragma once

#include <optional>

#include "validate/histories/recorded.hpp"
#include "validate/programs/black_box_finding.hpp"

namespace lockkeeper {

[[nodiscard]] bool has_tokens(const RecordedHistory& history);
// The first grant whose token does not rise.
[[nodiscard]] std::optional<BlackBoxFinding> find_token_fault(const RecordedHistory& history,
                                                              const Property& property);

}  // namespace lockkeeper
