// SPDX-License-Identifier: Apache-2.0
#include "scenarios/registry/shrink_scenario.hpp"

#include <algorithm>
#include <set>

#include "model/check.hpp"
#include "scenarios/registry/only_to_explore.hpp"
#include "scenarios/registry/smaller_scenarios.hpp"

namespace lockkeeper {
namespace {

class ScenarioShrinker {
  public:
    ScenarioShrinker(const Registry& registry, const Scenario& scenario, const Property& property,
                     std::size_t steps_max, const ShrinkLimits& limits)
        : registry_(registry),
          property_(property),
          steps_max_(steps_max),
          limits_(limits),
          scenario_(only_to_explore(scenario, {std::string(property.name)})) {}

    std::optional<SmallerScope> shrink() {
        for (bool is_smaller = true; is_smaller;) {
            is_smaller = false;
            for (const ChangesOf changes_of : kinds_of_change()) {
                while (takes_one_of(changes_of(scenario_))) {
                    is_smaller = true;
                }
            }
        }
        if (runner_ == nullptr) {
            return std::nullopt;
        }
        return SmallerScope{std::move(scenario_), std::move(runner_), std::move(violation_)};
    }

  private:
    bool takes_one_of(const std::vector<ScenarioChange>& changes) {
        return std::any_of(changes.begin(), changes.end(),
                           [&](const ScenarioChange& change) { return takes(change); });
    }

    bool takes(const ScenarioChange& change) {
        Scenario changed = scenario_;
        change(changed);
        leave_out_unknown(changed);
        const std::string text = to_json_text(changed);
        if (text == to_json_text(scenario_) || !tried_.insert(text).second) {
            return false;
        }
        // Numbers of callers and keys are those that the trace's reader will give them.
        auto parsed = parse_scenario(text, scenario_.file);
        auto* candidate = std::get_if<Scenario>(&parsed);
        if (candidate == nullptr) {
            return false;
        }
        try {
            return fails_still(*candidate);
        } catch (const LimitExceeded&) {
            return false;
        }
    }

    // Where there is no manager, what it would have been started with is derived, as in a file that
    // does not say.
    void leave_out_unknown(Scenario& changed) const {
        const RegisteredSystem* known = registry_.find(changed.system, changed.variant);
        if (known != nullptr && !knows(known->vocabulary, FormatKey::kManager)) {
            changed.parameters.manager_max_per = largest_max_per(changed.world);
        }
    }

    // If so, it is the scenario from now on.
    bool fails_still(Scenario& candidate) {
        if (explorations_ == kSmallerExplorationsMax || interrupt_requested() ||
            limits_.deadline.is_past()) {
            return false;
        }
        MadeRunner made = registry_.make(candidate);
        if (!std::holds_alternative<std::unique_ptr<Runner>>(made)) {
            return false;
        }
        auto runner = std::move(std::get<std::unique_ptr<Runner>>(made));
        if ((property_.needs & ~runner->features()) != 0) {
            return false;
        }
        ++explorations_;
        ExploreResult result = runner->explore(options_for(candidate));
        for (FoundViolation& violation : result.violations) {
            if (violation.property == &property_ &&
                violation.schedule.actions.size() <= steps_max_) {
                steps_max_ = violation.schedule.actions.size();
                violation_ = std::move(violation);
                scenario_ = std::move(candidate);
                runner_ = std::move(runner);
                return true;
            }
        }
        return false;
    }

    [[nodiscard]] ExploreOptions options_for(const Scenario& candidate) const {
        ExploreOptions options;
        options.check = {&property_};
        options.counting = Counting::kOff;
        options.symmetry = candidate.symmetry;
        options.stop_at_first = true;
        options.states_max = kSmallerStatesMax;
        options.depth_max = steps_max_;
        options.seconds_max = limits_.deadline.left();
        options.process_bytes_max = limits_.process_bytes_max;
        return options;
    }

    const Registry& registry_;
    const Property& property_;
    std::size_t steps_max_;
    ShrinkLimits limits_;
    Scenario scenario_;               // the smallest so far
    std::unique_ptr<Runner> runner_;  // of it; null: nothing smaller has been found
    FoundViolation violation_;
    std::set<std::string> tried_;
    int explorations_ = 0;
};

}  // namespace

std::optional<SmallerScope> shrink_scenario(const Registry& registry, const Scenario& scenario,
                                            const Property& property, std::size_t steps_max,
                                            const ShrinkLimits& limits) {
    return ScenarioShrinker(registry, scenario, property, steps_max, limits).shrink();
}

}  // namespace lockkeeper
