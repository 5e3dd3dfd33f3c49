// SPDX-License-Identifier: Apache-2.0
#include "validate/logs/retell.hpp"

#include <algorithm>

namespace lockkeeper::logs {
namespace {

class Listener final : public WalkTold {
  public:
    explicit Listener(const Problem& problem)
        : problem_(problem),
          walk_(problem),
          served_at_(problem.callers.size(), kLongAgo),
          current_(problem.callers.size()) {}

    void read(Place place) override {
        const Line& line = problem_.line(place);
        Moment moment;
        moment.earliest = std::max(line.earliest, served_at_[line.caller]);
        moment.latest = line.latest;
        moment.line = place;
        moment.caller = line.caller;
        moment.code = line.code;
        told_.moments.push_back(moment);
        now_ = std::max(now_, moment.earliest);
    }

    void took(const Step& step, const WalkState& before, const WalkState& after,
              std::int64_t latest) override {
        Moment moment;
        moment.earliest = after.now;
        moment.latest = latest;
        moment.code = step.code;
        moment.is_refused = step.is_refused;
        moment.caller = walk_.caller_of(before, step);
        if (step.kind == StepKind::kSplit && step.whose == Whose::kNone) {
            return;
        }
        if (step.kind == StepKind::kLine) {
            moment.line = Place{step.number, before.cursors[step.number]};
            moment.is_outside = step.whose == Whose::kOutside;
        }
        if (moment.is_outside) {
            moment.earliest = problem_.line(*moment.line).earliest;
            moment.latest = problem_.line(*moment.line).latest;
        }
        moment.is_served = step.kind != StepKind::kLine ||
                           (step.whose != Whose::kNone && step.whose != Whose::kOutside);
        moment.is_hidden = step.kind == StepKind::kHidden || step.whose == Whose::kInitial;
        moment.is_stray = step.kind == StepKind::kStray;
        if (moment.is_served) {
            served_at_[moment.caller] = moment.earliest;
        }
        told_.moments.push_back(moment);
        now_ = std::max(now_, moment.earliest);
        follow(moment, after);
    }

    void lost(std::uint32_t caller, LockCode code, Seen seen) override {
        told_.lost.push_back({caller, code, seen, now_, true});
    }

    void unanswered(std::uint32_t caller, LockCode code) override {
        told_.lost.push_back({caller, code, Seen::kAnswer, now_, false});
    }

    Retold end(const WalkState& state) {
        told_.end = state;
        std::int64_t latest = kNever;  // what comes before the next has happened by then
        for (auto moment = told_.moments.rbegin(); moment != told_.moments.rend(); ++moment) {
            if (moment->is_served) {
                moment->latest = std::min(moment->latest, latest);
                latest = moment->latest;
            }
        }
        std::stable_sort(
            told_.moments.begin(), told_.moments.end(),
            [](const Moment& left, const Moment& right) { return left.earliest < right.earliest; });
        return std::move(told_);
    }

  private:
    void follow(const Moment& moment, const WalkState& after) {
        for (std::uint32_t caller = 0; caller < current_.size(); ++caller) {
            std::optional<std::size_t>& current = current_[caller];
            const bool is_holder = walk_.holds(after, caller);
            if (current && !is_holder) {
                Holding& holding = told_.holdings[*current];
                const bool gives_back = moment.caller == caller && !moment.is_refused;
                holding.ended = gives_back ? Ended::kReleased : Ended::kRanOut;
                if (gives_back) {
                    holding.end_earliest = moment.earliest;
                    holding.end_latest = std::min(moment.latest, holding.end_latest);
                }
                current.reset();
            }
            if (!is_holder) {
                continue;
            }
            if (!current) {
                current = told_.holdings.size();
                told_.holdings.push_back({caller, moment.earliest, moment.latest});
            }
            if (problem_.has_time()) {
                const LockState& lock = after.lock;
                const std::int64_t error = problem_.model->choice().clock_error;
                Holding& holding = told_.holdings[*current];
                holding.end_earliest = lock.holds[lock.place_of(caller, 0)].number;
                holding.end_latest = std::max(
                    holding.end_earliest, lock.units_least > kNever - lock.lease_length
                                              ? kNever
                                              : lock.units_least + lock.lease_length + 2 * error);
            }
        }
    }

    const Problem& problem_;
    Walk walk_;
    Retold told_;
    std::int64_t now_ = kLongAgo;
    std::vector<std::int64_t> served_at_;
    std::vector<std::optional<std::size_t>> current_;  // of the holdings, by caller
};

}  // namespace

Retold retell(const Problem& problem, const std::vector<Step>& steps) {
    const Walk walk(problem);
    Listener listener(problem);
    Cost cost;
    WalkState state = walk.first(cost, &listener);
    for (const Step& step : steps) {
        // The search took the same step in the same state.
        static_cast<void>(walk.take(state, step, cost, &listener));
    }
    return listener.end(state);
}

}  // namespace lockkeeper::logs
