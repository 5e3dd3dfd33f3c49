// SPDX-License-Identifier: Apache-2.0
#include "scheduler/proofs/proof_picture.hpp"

#include <algorithm>
#include <map>

#include "scheduler/proofs/marking_search.hpp"

namespace lockkeeper::proofs {
namespace {

enum Group : std::size_t { kResting, kInACall, kHolding, kDead };

class Painter {
  public:
    Painter(ReplicatedSteps& steps, const ClosedSet& set) : steps_(steps), set_(set) {
        for (const LocalId local : set.locals) {
            groups_.resize(std::max<std::size_t>(groups_.size(), local + std::size_t{1}));
            groups_[local] = group_of(local);
        }
    }

    ProofPicture paint() {
        Counts everybody;
        for (std::size_t i = 0; set_.everybody && i < set_.locals.size(); ++i) {
            everybody.push_back({set_.locals[i], kAnyNumber});
        }
        for (const Marking& marking : set_.markings) {
            const Populated at(marking.shared, set_.everybody ? everybody : marking.counts,
                               set_.weights);
            if (!at.is_impossible()) {
                add(at, marking.counts);
            }
        }
        return std::move(picture_);
    }

  private:
    // Where the caller is does not depend on what is shared.
    Group group_of(LocalId local) {
        const auto& state = steps_.state_of(steps_.initial_shared(), {local});
        steps_.world().system().observe(state, seen_);
        const CallerObservation& caller = seen_.callers[steps_.slots().front()];
        const bool holds = std::any_of(caller.believed.begin(), caller.believed.end(),
                                       [](std::uint32_t units) { return units > 0; });
        if (caller.dead) {
            return kDead;
        }
        if (holds) {
            return kHolding;
        }
        return caller.calling ? kInACall : kResting;
    }

    // A state with those who are certainly there, and nobody else.
    std::string example(SharedId shared, const Counts& counts) {
        std::vector<LocalId> callers;
        for (const LocalCount& some : counts) {
            if (some.count != kAnyNumber) {
                callers.push_back(some.local);
            }
        }
        return steps_.has_room(callers)
                   ? steps_.world().system().show(steps_.state_of(shared, callers))
                   : steps_.show(shared);
    }

    void add(const Populated& at, const Counts& counts) {
        ProofPicture::Row row;
        for (std::size_t group = 0; group < row.most.size(); ++group) {
            row.most[group] =
                at.most([&](LocalId local) { return groups_[local] == group ? 1 : 0; });
        }
        for (const ReplicatedStep& step : steps_.steps_of_nobody(at.shared())) {
            picture_.is_time_passing |= step.action.kind == ActionKind::kTime;
        }
        const auto [known, is_new] = rows_.try_emplace(row.most, picture_.rows.size());
        if (!is_new) {
            if (known->second < picture_.rows.size()) {
                ++picture_.rows[known->second].combinations;
            }
        } else if (picture_.rows.size() == ProofPicture::kRowsMax) {
            ++picture_.rows_left_out;
        } else {
            row.example = example(at.shared(), counts);
            row.combinations = 1;
            picture_.rows.push_back(std::move(row));
        }
    }

    ReplicatedSteps& steps_;
    const ClosedSet& set_;
    std::vector<Group> groups_;  // by local
    std::map<decltype(ProofPicture::Row::most), std::size_t> rows_;
    Observation seen_{};
    ProofPicture picture_;
};

}  // namespace

ProofPicture picture_of(ReplicatedSteps& steps, const ClosedSet& set) {
    return Painter(steps, set).paint();
}

}  // namespace lockkeeper::proofs
