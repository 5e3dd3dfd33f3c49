// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "scheduler/proofs/search_parts.hpp"

namespace lockkeeper::proofs {
namespace {

// Every situation of a caller with every shared part that is reached.
class WeightsSearch {
  public:
    WeightsSearch(ReplicatedSteps& steps, MarkingJudge& judge, std::vector<Weights> weights,
                  const SearchLimits& limits)
        : steps_(steps), judge_(judge), weights_(std::move(weights)), limits_(limits) {}

    SearchResult run() {
        for (Weights& each : weights_) {
            each.set_shared(steps_.initial_shared(), 0);
        }
        reach(steps_.initial_shared());
        for (const LocalId local : steps_.initial_locals()) {
            meet(local);
        }
        if (!close() || !judge_all()) {
            return std::move(result_);
        }
        ClosedSet closed;
        closed.everybody = true;
        closed.locals = met_;
        for (const SharedId shared : reached_) {
            closed.markings.push_back({shared, {}});
        }
        closed.weights = std::move(weights_);
        result_.closed = std::move(closed);
        return std::move(result_);
    }

  private:
    static constexpr std::size_t kUnweighedMost = 200;

    // Until nothing new comes. False: see the result.
    bool close() {
        std::vector<std::size_t> done;  // by reached: so many of met_
        for (bool goes_on = true; goes_on;) {
            goes_on = false;
            for (std::size_t i = 0; i < reached_.size(); ++i) {
                result_.limit = limit_of(limits_, steps_, reached_.size());
                if (!result_.limit.empty() || result_.unweighed.size() > kUnweighedMost) {
                    return false;
                }
                if (done.size() == i) {
                    done.push_back(0);
                    take_steps_of_nobody(reached_[i]);
                }
                for (; done[i] < met_.size(); ++done[i]) {
                    goes_on = true;
                    take_steps(reached_[i], met_[done[i]]);
                }
            }
        }
        return result_.unweighed.empty();
    }

    void take_steps(SharedId shared, LocalId local) {
        for (const Weights& each : weights_) {
            if (each.of(local) > each.of_shared[shared]) {
                return;  // nobody can be there
            }
        }
        for (const ReplicatedStep& step : steps_.steps(shared, local)) {
            go({shared, step.shared, local, step.local});
        }
        const bool hears = limits_.bug != SearchBug::kHearsNothing;
        for (std::size_t i = 0; hears && i < steps_.steps_of_nobody(shared).size(); ++i) {
            const LocalId hearing = steps_.hearing(shared, i, local);
            if (hearing != local && hearing != kWaitedFor) {
                go({shared, shared, local, hearing});
            }
        }
    }
    void take_steps_of_nobody(SharedId shared) {
        for (const ReplicatedStep& step : steps_.steps_of_nobody(shared)) {
            go({shared, step.shared, std::nullopt, 0});
        }
    }
    void go(const WeighedStep& step) {
        if (drops(limits_, step)) {
            return;
        }
        if (!keeps(weights_, step)) {
            result_.unweighed.push_back(step);
            return;
        }
        reach(step.shared_after);
        if (step.local) {
            meet(step.local_after);
        }
    }
    void reach(SharedId shared) {
        if (is_reached_.size() <= shared) {
            is_reached_.resize(shared + 1);
        }
        if (!is_reached_[shared]) {
            is_reached_[shared] = true;
            reached_.push_back(shared);
        }
    }
    void meet(LocalId local) {
        if (is_met_.size() <= local) {
            is_met_.resize(local + 1U);
        }
        if (!is_met_[local]) {
            is_met_[local] = true;
            met_.push_back(local);
        }
    }

    bool judge_all() {
        Counts everybody;
        std::sort(met_.begin(), met_.end());
        for (const LocalId local : met_) {
            everybody.push_back({local, kAnyNumber});
        }
        for (const SharedId shared : reached_) {
            result_.limit = limit_of(limits_, steps_, reached_.size());
            const Populated populated(shared, everybody, weights_);
            if (result_.limit.empty() && !populated.is_impossible() &&
                limits_.bug != SearchBug::kJudgesNothing) {
                result_.broken = judge_.judge(populated);
            }
            if (result_.broken || !result_.limit.empty()) {
                return false;
            }
        }
        return true;
    }

    ReplicatedSteps& steps_;
    MarkingJudge& judge_;
    std::vector<Weights> weights_;
    const SearchLimits& limits_;
    std::vector<SharedId> reached_;
    std::vector<LocalId> met_;
    std::vector<bool> is_reached_;
    std::vector<bool> is_met_;
    SearchResult result_;
};

}  // namespace

SearchResult search_weights(ReplicatedSteps& steps, MarkingJudge& judge,
                            std::vector<Weights> weights, const SearchLimits& limits) {
    return WeightsSearch(steps, judge, std::move(weights), limits).run();
}

}  // namespace lockkeeper::proofs
