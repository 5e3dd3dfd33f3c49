// SPDX-License-Identifier: Apache-2.0

// Shared by the searches of marking_search.hpp.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "model/check.hpp"
#include "scheduler/proofs/marking_search.hpp"

namespace lockkeeper::proofs {

// Empty: go on.
[[nodiscard]] inline std::string limit_of(const SearchLimits& limits, const ReplicatedSteps& steps,
                                          std::size_t markings) {
    return markings > limits.markings_max
               ? "it takes more than " + std::to_string(limits.markings_max) + " combinations"
               : limits.watch->look(
                     {limits.doing, markings, 0, steps.shared_count(), steps.locals_count()});
}

// Where a step leads, in weights. False: it does not keep them.
[[nodiscard]] inline bool keeps(std::vector<Weights>& weights, const WeighedStep& step) {
    bool keeps_all = true;
    for (Weights& each : weights) {
        const std::int64_t more = step.local ? each.of(step.local_after) - each.of(*step.local) : 0;
        const std::int64_t after = each.of_shared[step.shared] + more;
        if (!each.knows(step.shared_after)) {
            each.set_shared(step.shared_after, after);
        }
        keeps_all = keeps_all && each.of_shared[step.shared_after] == after;
    }
    return keeps_all;
}

[[nodiscard]] inline std::uint16_t count_of(const Counts& counts, LocalId local) {
    const auto found = std::lower_bound(
        counts.begin(), counts.end(), local,
        [](const LocalCount& some, LocalId sought) { return some.local < sought; });
    return found != counts.end() && found->local == local ? found->count : std::uint16_t{0};
}

inline void set_count(Counts& counts, LocalId local, std::uint16_t count) {
    const auto found = std::lower_bound(
        counts.begin(), counts.end(), local,
        [](const LocalCount& some, LocalId sought) { return some.local < sought; });
    const bool is_there = found != counts.end() && found->local == local;
    if (count == 0 && is_there) {
        counts.erase(found);
    } else if (is_there) {
        found->count = count;
    } else if (count != 0) {
        counts.insert(found, {local, count});
    }
}

inline void add_one(Counts& counts, LocalId local, int more) {
    const std::uint16_t count = count_of(counts, local);
    if (count != kAnyNumber) {
        LOCKKEEPER_CHECK(count + more >= 0 && count + more < kAnyNumber);
        set_count(counts, local, static_cast<std::uint16_t>(count + more));
    }
}

// Returns the situations of all callers after they have heard of that step of nobody's. Nothing: it
// waits for somebody who is certainly there. Else it comes where nobody is there for whom it waits.
[[nodiscard]] inline std::optional<Counts> all_hearing(ReplicatedSteps& steps,
                                                       const Populated& populated,
                                                       std::size_t step) {
    Counts after;
    for (const LocalCount& some : populated.counts()) {
        const LocalId local = steps.hearing(populated.shared(), step, some.local);
        if (local == kWaitedFor) {
            if (some.count != kAnyNumber) {
                return std::nullopt;
            }
            continue;
        }
        const std::uint16_t there = count_of(after, local);
        const bool any = there == kAnyNumber || some.count == kAnyNumber;
        set_count(after, local, any ? kAnyNumber : static_cast<std::uint16_t>(there + some.count));
    }
    return after;
}

// Leaves out what the check of a certificate does not come to: markings that others cover, and
// situations that no step leads to (who is pumped at once is followed everywhere). Empty: done;
// else the limit that has ended it.
[[nodiscard]] std::string keep_reached(ReplicatedSteps& steps, const Marking& first, ClosedSet& set,
                                       const SearchLimits& limits);

// A planted bug.
[[nodiscard]] inline bool drops(const SearchLimits& limits, const WeighedStep& step) {
    return limits.bug == SearchBug::kDropsSteps && step.local && step.local_after % 8 == 5;
}

}  // namespace lockkeeper::proofs
