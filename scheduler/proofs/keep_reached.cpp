// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "scheduler/proofs/covering_markings.hpp"
#include "scheduler/proofs/search_parts.hpp"

namespace lockkeeper::proofs {
namespace {

// Goes through a closed set as who checks its certificate does: a step leads to the first marking
// that covers what follows, and nobody is in a situation that no step has led to.
class ReachedMarkings {
  public:
    ReachedMarkings(ReplicatedSteps& steps, const ClosedSet& set)
        : steps_(steps), set_(set), followed_(set.markings.size()) {
        for (std::size_t i = 0; i < set.markings.size(); ++i) {
            covering_.add(set.markings[i], i);
        }
    }

    // Empty: all of it; else the limit that has ended it.
    std::string go_from(const Marking& first, const SearchLimits& limits) {
        const std::vector<LocalId>& begun = steps_.initial_locals();
        met_.insert(begun.begin(), begun.end());
        Counts counts = first.counts;
        std::erase_if(counts, [&](const LocalCount& some) { return !met_.contains(some.local); });
        reach(first.shared, counts);
        for (std::size_t before = 0; before != reached_.size() + met_.size();) {
            before = reached_.size() + met_.size();
            std::string limit = limit_of(limits, steps_, reached_.size());
            if (!limit.empty()) {
                return limit;
            }
            for (const std::size_t number : reached_) {
                follow(number);
            }
        }
        return "";
    }

    // Each once, without whoever was not met. True: somebody was not.
    bool take(std::vector<Marking>& out) const {
        bool is_without = false;
        std::set<Marking> taken;
        for (const std::size_t number : reached_) {
            Marking marking = set_.markings[number];
            const std::size_t left_out = std::erase_if(
                marking.counts, [&](const LocalCount& some) { return !met_.contains(some.local); });
            is_without = is_without || left_out > 0;
            if (taken.insert(marking).second) {
                out.push_back(std::move(marking));
            }
        }
        return is_without;
    }

  private:
    void follow(std::size_t number) {
        const Marking& at = set_.markings[number];
        const Populated populated(at.shared, at.counts, set_.weights);
        std::vector<bool>& followed = followed_[number];
        bool is_new = followed.empty();
        followed.resize(populated.counts().size());
        std::set<SharedId> unchanged;  // where a step has led that changes no count
        for (std::size_t i = 0; i < followed.size(); ++i) {
            const LocalCount& some = populated.counts()[i];
            if (!followed[i] && met_.contains(some.local)) {
                followed[i] = is_new = true;
                follow(at, some, unchanged);
            }
        }
        const std::size_t of_nobody = is_new ? steps_.steps_of_nobody(at.shared).size() : 0;
        for (std::size_t i = 0; i < of_nobody; ++i) {
            follow_nobody(populated, i);
        }
    }
    void follow(const Marking& at, const LocalCount& some, std::set<SharedId>& unchanged) {
        for (const ReplicatedStep& step : steps_.steps(at.shared, some.local)) {
            met_.insert(step.local);
            const bool changes_no_count =
                some.count == kAnyNumber && count_of(at.counts, step.local) == kAnyNumber;
            if (changes_no_count && !unchanged.insert(step.shared).second) {
                continue;
            }
            Counts after = at.counts;
            add_one(after, some.local, -1);
            add_one(after, step.local, 1);
            reach(step.shared, after);
        }
    }
    void follow_nobody(const Populated& populated, std::size_t step) {
        const auto after = all_hearing(steps_, populated, step);
        if (!after) {
            return;
        }
        for (const LocalCount& some : populated.counts()) {
            const LocalId hearing = steps_.hearing(populated.shared(), step, some.local);
            if (met_.contains(some.local) && hearing != kWaitedFor) {
                met_.insert(hearing);
            }
        }
        reach(steps_.steps_of_nobody(populated.shared())[step].shared, *after);
    }

    void reach(SharedId shared, const Counts& counts) {
        if (const auto found = covering_.covering(shared, counts)) {
            reached_.insert(*found);
        }
    }

    ReplicatedSteps& steps_;
    const ClosedSet& set_;
    CoveringMarkings covering_;
    std::set<std::size_t> reached_;
    std::set<LocalId> met_;
    std::vector<std::vector<bool>> followed_;  // by marking, who can be there
};

}  // namespace

std::string keep_reached(ReplicatedSteps& steps, const Marking& first, ClosedSet& set,
                         const SearchLimits& limits) {
    std::string limit;
    for (bool goes_on = true; goes_on && limit.empty();) {
        ReachedMarkings reached(steps, set);
        limit = reached.go_from(first, limits);
        std::vector<Marking> kept;
        goes_on = reached.take(kept);
        set.markings = std::move(kept);
    }
    return limit;
}

}  // namespace lockkeeper::proofs
