// What acquires were answered that met a holder: where none was granted or refused, nobody knows
// what the lock does when it is contended. Asked by both levels before they say "passed".
#pragma once

#include <cstdint>
#include <string>

#include "model/answer_counts.hpp"

namespace lockkeeper {

struct ContendedAnswers {
    std::uint64_t judged = 0;  // granted, or refused in a code of is_refusal()
    std::uint64_t errors = 0;  // any other, definite or not

    void add(bool is_judged) { ++(is_judged ? judged : errors); }
    ContendedAnswers& operator+=(const ContendedAnswers& other);
};

// Why these answers are no reason to say "passed"; empty: they are. `met_all_taken`: all places
// were held, `met_holder`: one at least.
[[nodiscard]] std::string contention_not_judged(const ContendedAnswers& met_all_taken,
                                                const ContendedAnswers& met_holder,
                                                const AnswerCounts& answers);

}  // namespace lockkeeper
