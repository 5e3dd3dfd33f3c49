// SPDX-License-Identifier: Apache-2.0

// The properties that one run or exploration has to judge, prepared for the hot path: most steps
// show nothing that any property asks about, and cost one AND.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/property.hpp"
#include "model/system.hpp"

namespace lockkeeper {

class Judge {
  public:
    Judge() = default;
    explicit Judge(std::vector<const Property*> properties) : properties_(std::move(properties)) {
        for (const Property* property : properties_) {
            triggers_ |= property->triggers;
            observed_ |= property->needs_observation ? property->triggers : 0U;
            judges_rest_ = judges_rest_ || property->kind == PropertyKind::kAtQuiescence;
        }
    }

    [[nodiscard]] const std::vector<const Property*>& properties() const { return properties_; }
    [[nodiscard]] bool interested_in(const Event& event) const {
        return (event.what & triggers_) != 0;
    }
    [[nodiscard]] std::uint32_t triggers() const { return triggers_; }
    // Events at which some property looks at the state, too.
    [[nodiscard]] std::uint32_t observed_events() const { return observed_; }
    [[nodiscard]] bool judges_rest() const { return judges_rest_; }
    // Where the property stands among properties(), or nothing.
    [[nodiscard]] std::optional<std::size_t> index_of(PropertyNumber which) const {
        for (std::size_t i = 0; i < properties_.size(); ++i) {
            if (properties_[i]->is(which)) {
                return i;
            }
        }
        return std::nullopt;
    }
    [[nodiscard]] bool judges(PropertyNumber which) const { return index_of(which).has_value(); }

    // Calls found(index) for every property that the step which led to `state` breaks.
    template <System S, class Found>
    LOCKKEEPER_SELDOM void judge_step(const S& system, const typename S::State& state,
                                      const Event& event, Found found) {
        bool observed = false;
        for (std::size_t i = 0; i < properties_.size(); ++i) {
            const Property& property = *properties_[i];
            if ((property.triggers & event.what) == 0) {
                continue;
            }
            if (property.needs_observation && !observed) {
                system.observe(state, observation_);
                observed = true;
            }
            if (property.holds_not(observation_, event)) {
                found(i);
            }
        }
    }

    // The same for a state; at rest or not is asked here.
    template <System S, class Found>
    void judge_rest(const S& system, const typename S::State& state, Found found) {
        if (judges_rest_ && system.quiescent(state)) {
            judge_state_at_rest(system, state, found);
        }
    }

  private:
    template <System S, class Found>
    LOCKKEEPER_SELDOM void judge_state_at_rest(const S& system, const typename S::State& state,
                                               Found found) {
        system.observe(state, observation_);
        for (std::size_t i = 0; i < properties_.size(); ++i) {
            if (properties_[i]->kind == PropertyKind::kAtQuiescence &&
                properties_[i]->holds_not(observation_, Event{})) {
                found(i);
            }
        }
    }

    std::vector<const Property*> properties_;
    std::uint32_t triggers_ = 0;
    std::uint32_t observed_ = 0;
    bool judges_rest_ = false;
    Observation observation_{};
};

}  // namespace lockkeeper
