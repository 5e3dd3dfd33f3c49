// SPDX-License-Identifier: Apache-2.0

// The places that the drawn runs of a search have seen, so that later runs choose new ones: which
// steps were taken in each place, and which places have nothing new behind them (seen_steps.hpp, as
// for models). Used by OutsideSearch.
//
// A place is the fingerprint of the source's state, where the source knows it. Otherwise it covers
// each party's steps and answers, in its own order, and the order of time and faults between them.
// If two places share a fingerprint, a run repeats what others did; no verdict becomes wrong.
//
//   begin(place)         a new run, and its first place
//   offered(enabled)     the enabled steps that no run has taken here; if none, those that may lead
//                        to such a step; if none, all
//   took(action, place)  one of them, and where it led
//   end(whole)           whole: nothing can come after the last step
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "model/action.hpp"
#include "scheduler/runs/seen_steps.hpp"
#include "validate/outside/source.hpp"

namespace lockkeeper {

// The place of a source that knows states, by its key.
[[nodiscard]] std::uint64_t place_of(std::string_view key);

// The fingerprint of a place by the steps that led to it, for sources that know no states.
class PastOfParties {
  public:
    void add(Action action, const OutsideStep& step);
    [[nodiscard]] std::uint64_t fingerprint() const;

  private:
    std::uint64_t until_time_ = 0;         // all up to the last fault or passage of time
    std::vector<std::uint64_t> of_party_;  // since then, by its actor
};

class SeenPlaces {
  public:
    void begin(std::uint64_t place);
    [[nodiscard]] std::vector<Action> offered(const std::vector<Action>& enabled);
    void took(Action action, std::uint64_t place);
    void end(bool whole);

  private:
    SeenSteps seen_;
    KeyMap<std::uint64_t> behind_;  // by step: the place that it led to
    RunSteps run_;                  // the one under way
    RunSteps::Place here_;
    bool is_whole_ = true;  // all its steps are told
};

}  // namespace lockkeeper
