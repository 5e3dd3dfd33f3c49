// What happened in the runs of a program at the stepped level, apart from what they violated: the
// verdict asks it whether a pass means anything. Filled by SteppedRun, summed by SteppedSearch.
#pragma once

#include <cstdint>
#include <string>

#include "model/answer_counts.hpp"
#include "validate/programs/contended_answers.hpp"
#include "validate/programs/outside_world.hpp"
#include "validate/programs/script_place.hpp"

namespace lockkeeper {

struct SteppedTally {
    AnswerCounts answers;
    PassedOverCounts passed_over;
    std::uint32_t events = 0;  // EventBit: for goals
    bool asks_time = false;
    bool has_leases = false;             // a grant had an end
    bool sees_lease_end = false;         // and its end came before its release
    std::int64_t lease_time = 0;         // the longest, from the answer on, in the program's unit
    std::uint64_t runs_out_of_time = 0;  // the clock's limit ended them
    std::uint64_t grants_over_on_return = 0;
    ContendedAnswers met_holder;     // another caller held at some moment of the acquire
    ContendedAnswers met_all_taken;  // all places were held

    SteppedTally& operator+=(const SteppedTally& other);
    // Why nothing that these runs did not show counts as passed; empty: it does.
    [[nodiscard]] std::string what_is_missing(const OutsideWorld& world) const;
};

}  // namespace lockkeeper
