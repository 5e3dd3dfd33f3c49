// SPDX-License-Identifier: Apache-2.0

// Counts the answers that callers got in some runs, or in a recorded history. The code that judges
// outside programs or histories fills it in; the verdict asks what_is_missing() before it says
// "passed", and every report prints the numbers in these words.
#pragma once

#include <cstdint>
#include <string>

namespace lockkeeper {

struct AnswerCounts {
    std::uint64_t grants = 0;    // acquires that returned with the lock
    std::uint64_t refusals = 0;  // acquires that certainly did not get it
    // Refusals in whose whole call a place was free, as far as callers knew: somebody else asked.
    // A lock that refuses who meets others on the way in has many, and may serve nobody for long.
    std::uint64_t refusals_while_free = 0;
    std::uint64_t errors = 0;              // other errors that are definite: it did not happen
    std::uint64_t indefinite_answers = 0;  // nobody knows whether it happened; or no answer at all
    std::uint64_t runs = 0;
    std::uint64_t cut_runs = 0;  // a limit of steps ended them before their scripts had ended

    // "12 grants, 1 refusal, 0 errors, 0 indefinite answers", for reports. Behind the refusals,
    // where there are some: "3 refusals (1 while a place was free: others were asking)".
    [[nodiscard]] std::string to_text() const;
    // Says why these answers do not justify "passed"; empty if they do.
    [[nodiscard]] std::string what_is_missing() const;

    AnswerCounts& operator+=(const AnswerCounts& other);
    friend bool operator==(const AnswerCounts&, const AnswerCounts&) = default;
};

}  // namespace lockkeeper
