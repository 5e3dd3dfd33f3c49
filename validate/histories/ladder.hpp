// SPDX-License-Identifier: Apache-2.0

// The ladder of contracts, from the tightest: which of them does a history satisfy? Called by
// check_history after the strict contract has been judged.
//
//   strict              the model
//   too-many            at most k more than the model allows, the smallest k
//   too-many-for        the same, and never for longer than t at a time
//   leaks-but-recovers  an acquire was refused although there was room; later as much has been
//                       granted as was refused then
//   fenced              whoever holds: tokens rise, and effects come in the order of tokens
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

// The first of them that is satisfied, in the order: strict, leaks but grants no more than allowed,
// too many for a time, too many, fenced.
[[nodiscard]] std::optional<std::size_t> tightest_of(const std::vector<Rung>& ladder);

}  // namespace lockkeeper
