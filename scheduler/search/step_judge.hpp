// SPDX-License-Identifier: Apache-2.0

// Judges one worker's steps by what is still asked: properties that nobody has found violated yet
// (or not often enough to know their causes), goals that nobody has reached. Used by the expander.
#pragma once

#include <algorithm>
#include <vector>

#include "scheduler/search/expansion.hpp"

namespace lockkeeper {

template <System S>
class StepJudge {
  public:
    using State = typename S::State;

    StepJudge(const S& system, const ExploreOptions& options)
        : system_(system),
          judge_(options.check),
          goals_(options.reach),
          open_(judge_.triggers() | goals_.triggers()),
          judges_rest_(judge_.judges_rest()),
          collects_(options.causes_max > 1),
          found_(judge_.properties().size(), 0),
          reached_(goals_.properties().size(), false) {}

    // Events that somebody still asks about; whether a state of rest is asked about.
    [[nodiscard]] std::uint32_t open() const { return open_; }
    [[nodiscard]] bool judges_rest() const { return judges_rest_; }
    // Events that a private step must not show.
    [[nodiscard]] std::uint32_t visible() const {
        return judge_.observed_events() | goals_.observed_events();
    }

    // No longer asks about what has been found.
    void close_found(const SearchProgress& progress) {
        open_ = 0;
        judges_rest_ = false;
        for (std::size_t i = 0; i < progress.first.size(); ++i) {
            if (progress.is_open(i)) {
                const Property& property = *judge_.properties()[i];
                open_ |= property.triggers;
                judges_rest_ = judges_rest_ || property.kind == PropertyKind::kAtQuiescence;
            }
        }
        for (std::size_t i = 0; i < progress.goal_reached.size(); ++i) {
            open_ |= progress.goal_reached[i] != 0 ? 0U : goals_.properties()[i]->triggers;
        }
    }
    // An expansion is done: the next notes the first of each again.
    void begin() {
        std::fill(found_.begin(), found_.end(), 0U);
        std::fill(reached_.begin(), reached_.end(), false);
    }

    void judge_rest(Expansion<S>& out, const State& state, StateId id) {
        judge_.judge_rest(system_, state, [&](std::size_t property) {
            note(out, property, {id, {}, out.depth, true, true});
        });
    }
    void judge_event(Expansion<S>& out, const State& state, const Event& event,
                     const ViolationPlace& place) {
        if ((event.what & open_) == 0) {
            return;
        }
        if (judge_.interested_in(event)) {
            judge_.judge_step(system_, state, event,
                              [&](std::size_t property) { note(out, property, place); });
        }
        if (goals_.interested_in(event)) {
            goals_.judge_step(system_, state, event, [&](std::size_t goal) {
                if (!reached_[goal]) {
                    reached_[goal] = true;
                    out.goals.push_back(goal);
                }
            });
        }
    }

  private:
    void note(Expansion<S>& out, std::size_t property, const ViolationPlace& place) {
        const std::size_t most = collects_ ? SearchProgress::kPlacesMax : 1;
        if (found_[property] < most) {
            ++found_[property];
            out.found.push_back({property, place});
        }
    }

    const S& system_;
    Judge judge_;
    Judge goals_;
    std::uint32_t open_;
    bool judges_rest_;
    bool collects_;  // places of each property, not only the first
    // By this expansion.
    std::vector<std::size_t> found_;
    std::vector<bool> reached_;
};

}  // namespace lockkeeper
