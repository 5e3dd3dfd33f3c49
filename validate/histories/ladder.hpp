// SPDX-License-Identifier: Apache-2.0

// The ladder of contracts, from the tightest: which of them does a history satisfy? Called by
// check_history after the strict contract has been judged.
//
//   strict              the model
//   too-many            at most k more than the model allows, the smallest k
//   too-many-for        the same, and never for longer than t at a time
//   leaks-but-recovers  never too many; an acquire was refused although there was room; later as
//                       many held at once as would have, had it been granted
//   fenced              whoever holds: tokens rise, and effects come in the order of tokens
//   refused-but-frees   never too many, if an acquire that was refused may have freed what another
//                       held (freed_by_refused.hpp); not applicable where nothing needs it
#pragma once

#include <vector>

#include "validate/histories/check_history.hpp"
#include "validate/histories/linearize.hpp"
#include "validate/histories/read_operations.hpp"

namespace lockkeeper {

struct JudgedKey {
    const KeyOperations* list;
    Verdict verdict;
};

[[nodiscard]] std::vector<Rung> climb(const RecordedHistory& history, const ModelChoice& choice,
                                      const std::vector<JudgedKey>& keys,
                                      const SearchBudget& budget);

// The first of them that is satisfied, in the order: strict, leaks, refused but frees, too many for
// a time, too many, fenced.
[[nodiscard]] std::optional<std::size_t> tightest_of(const std::vector<Rung>& ladder);

}  // namespace lockkeeper
