// SPDX-License-Identifier: Apache-2.0

// A proof as a table for people: callers in four groups, and for each set of states that the proof
// names, the most callers that can be in each group. Combinations with equal numbers are one row.
// Made by prove(); reports show it. It proves nothing: that is the certificate's.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lockkeeper::proofs {

class ReplicatedSteps;
struct ClosedSet;

struct ProofPicture {
    static constexpr std::size_t kRowsMax = 40;
    static constexpr std::array<const char*, 4> kGroups{"resting", "in a call", "holding", "dead"};

    struct Row {
        std::string example;           // a state of one of the combinations, in words
        std::size_t combinations = 0;  // with these numbers
        // By group: at most so many callers; nothing: any number.
        std::array<std::optional<std::int64_t>, kGroups.size()> most;
    };
    std::vector<Row> rows;          // in the order in which the proof comes to them
    std::size_t rows_left_out = 0;  // beyond kRowsMax
    bool is_time_passing = false;   // some step of the proof is one of time
};

// May learn steps of nobody's: DoesNotFit, LimitExceeded.
[[nodiscard]] ProofPicture picture_of(ReplicatedSteps& steps, const ClosedSet& set);

}  // namespace lockkeeper::proofs
