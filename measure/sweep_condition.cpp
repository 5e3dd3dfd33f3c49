// SPDX-License-Identifier: Apache-2.0
#include "measure/sweep_condition.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "scenarios/bad_input.hpp"
#include "scenarios/registry/unknown_names.hpp"
#include "scenarios/registry/vary.hpp"

namespace lockkeeper {

SweepCondition condition_of(const Sweep& sweep,
                            const std::vector<std::pair<std::string, std::string>>& where) {
    SweepCondition condition;
    for (const auto& [name, choice] : where) {
        std::vector<std::string> axes;
        std::vector<std::string> choices;
        for (std::size_t i = 0; i < sweep.axes.size(); ++i) {
            axes.push_back(sweep.axes[i].name);
            if (axes.back() != name) {
                continue;
            }
            for (const SweepChoice& one : sweep.axes[i].choices) {
                choices.push_back(one.name);
            }
            SweepAlternative alternative;
            alternative.all = {choice};
            condition[i].push_back(std::move(alternative));
        }
        if (choices.empty()) {
            throw UsageError("--where: unknown axis \"" + name + "\"" +
                             nearest_or_known(name, axes));
        }
        if (std::find(choices.begin(), choices.end(), choice) == choices.end()) {
            throw UsageError(fmt::format("--where: \"{}\" has no choice \"{}\"{}", name, choice,
                                         nearest_or_known(choice, choices)));
        }
    }
    return condition;
}

VaryScenario vary_by(const Registry& registry) {
    return [&registry](const std::string& name, double value, Scenario& scenario) {
        Law law = scenario.law.value_or(Law());
        vary(registry, name, value, scenario, law, "the sweep");
        if (scenario.law) {
            scenario.law = law;
        }
    };
}

}  // namespace lockkeeper
