// SPDX-License-Identifier: Apache-2.0

// One rank that runs a command and others that help it, as threads. Nothing else includes it.
#pragma once

#include "scheduler/ranks/rank_tasks.hpp"
#include "scheduler/ranks/thread_ranks_test.hpp"

namespace lockkeeper::testing_scheduler {

// Returns the result of `lead` on the first of so many ranks; the others do `work`.
template <class Result>
Result with_helping_ranks(std::size_t count, const std::function<Result(Ranks&)>& lead,
                          const std::function<void(FollowedTask&)>& work) {
    const std::function<Result(Ranks&)> each = [&](Ranks& ranks) -> Result {
        if (!ranks.is_first()) {
            follow(ranks, std::function(work));  // each its own
            return {};
        }
        Result result = lead(ranks);
        dismiss_others(ranks);
        return result;
    };
    return on_ranks<Result>(count, each).front();
}

}  // namespace lockkeeper::testing_scheduler
