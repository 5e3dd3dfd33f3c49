// The model of the canal lock and the original's table driven by the same schedules, one atomic
// step after the other. After each step this is compared:
//
//   did         what was done, the value that the ETS operation returned, what the call returned
//   table       every counter and `highest` of each key; gone with the manager
//   callers     which step each takes next, whether its reply has arrived, who is dead
//   references  how many the manager has of each caller and key
//   manager     its next step for the dead; idle: the first message of each caller in its mailbox
//
// Who calls it: validate --server erlang, and the tests of this folder. Errors: std::runtime_error
// where the node ends or does not answer.
#pragma once

#include <vector>

#include "validate/erlang/canal_subject.hpp"
#include "validate/erlang/node.hpp"
#include "validate/servers/comparison.hpp"

namespace lockkeeper::erlang {

inline constexpr std::size_t kStepsMax = 200;
inline constexpr std::size_t kShrinksMax = 2000;
inline constexpr std::size_t kShrinkPassesMax = 8;

struct CompareOptions : databases::ComparisonLimits {
    CompareOptions() {
        shrinks_max = kShrinksMax;
        shrink_passes_max = kShrinkPassesMax;
    }
    std::uint64_t seed = 1;             // of the first random schedule
    std::size_t steps_max = kStepsMax;  // of a random schedule
};

// First the given schedules, then random ones; ends with the first difference.
[[nodiscard]] databases::Comparison compare(const CanalSubject& subject, Node& node,
                                            const std::vector<Schedule>& given,
                                            const CompareOptions& options);

// Uniform among what is possible; a fault in one of four cases.
[[nodiscard]] Schedule random_schedule(const CanalSubject& subject, std::uint64_t seed,
                                       std::size_t steps_max);

}  // namespace lockkeeper::erlang
