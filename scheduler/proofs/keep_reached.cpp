// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "scheduler/proofs/covering_markings.hpp"
#include "scheduler/proofs/search_parts.hpp"

namespace lockkeeper::proofs {
namespace {

// Goes through a closed set as who checks its certificate does: a step leads to the first marking
// that covers what follows.
class ReachedMarkings {
  public:
    ReachedMarkings(ReplicatedSteps& steps, const ClosedSet& set) : steps_(steps), set_(set) {
        for (std::size_t i = 0; i < set.markings.size(); ++i) {
            covering_.add(set.markings[i], i);
        }
    }

    std::set<std::size_t> from(const Marking& first) {
        reach(first.shared, first.counts);
        while (!open_.empty()) {
            const std::size_t number = open_.back();
            open_.pop_back();
            follow(set_.markings[number]);
        }
        return reached_;
    }

  private:
    void follow(const Marking& at) {
        const Populated populated(at.shared, at.counts, set_.weights);
        std::set<SharedId> unchanged;  // where a step has led that changes no count
        for (const LocalCount& some : populated.counts()) {
            for (const ReplicatedStep& step : steps_.steps(at.shared, some.local)) {
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
        const std::vector<ReplicatedStep>& of_nobody = steps_.steps_of_nobody(at.shared);
        for (std::size_t i = 0; i < of_nobody.size(); ++i) {
            if (const auto after = all_hearing(steps_, populated, i)) {
                reach(of_nobody[i].shared, *after);
            }
        }
    }

    void reach(SharedId shared, const Counts& counts) {
        const auto found = covering_.covering(shared, counts);
        if (found && reached_.insert(*found).second) {
            open_.push_back(*found);
        }
    }

    ReplicatedSteps& steps_;
    const ClosedSet& set_;
    CoveringMarkings covering_;
    std::set<std::size_t> reached_;
    std::vector<std::size_t> open_;
};

}  // namespace

void keep_reached(ReplicatedSteps& steps, const Marking& first, ClosedSet& set) {
    std::vector<Marking> kept;
    for (const std::size_t number : ReachedMarkings(steps, set).from(first)) {
        kept.push_back(set.markings[number]);
    }
    set.markings = std::move(kept);
}

}  // namespace lockkeeper::proofs
