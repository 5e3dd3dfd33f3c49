// SPDX-License-Identifier: Apache-2.0
#include "scenarios/registry/checks.hpp"

#include <algorithm>
#include <span>
#include <string>

#include "properties/catalogue.hpp"
#include "scenarios/registry/unknown_names.hpp"

namespace lockkeeper {
namespace {

std::vector<std::string> names_of(std::span<const Property> properties) {
    std::vector<std::string> names;
    for (const Property& property : properties) {
        names.emplace_back(property.name);
    }
    return names;
}

bool applies(const Property& property, std::uint32_t features) {
    return (property.needs & ~features) == 0;
}

// Names what a scenario must give so that the property can be judged.
std::string missing_bound(const Property& property) {
    return property.needs == kBoundsTelling   ? "; give the parameter told_within"
           : property.needs == kBoundsFreeing ? "; give the parameter free_within"
           : property.needs == kBoundsWaiting ? "; give the parameter waiting_at_most"
           : property.needs == kBoundsRate    ? "; give \"rate_limit\""
                                              : "";
}

// "safety": what is bad whenever it happens; notices and the graph's properties are left out.
bool is_safety(const Property& property) {
    return property.kind != PropertyKind::kEventually && property.severity != Severity::kNotice;
}

InputError does_not_apply(const Scenario& scenario, std::size_t index, const Property& property) {
    return {scenario.file, "/check/" + std::to_string(index),
            "property \"" + scenario.check[index] + "\" does not apply to system \"" +
                scenario.system + "\": it does not show what is needed" + missing_bound(property)};
}

}  // namespace

std::variant<std::vector<const Property*>, InputError> properties_to_check(const Scenario& scenario,
                                                                           std::uint32_t features) {
    std::vector<const Property*> chosen;
    const auto add = [&](const Property* property) {
        if (std::find(chosen.begin(), chosen.end(), property) == chosen.end()) {
            chosen.push_back(property);
        }
    };
    for (std::size_t i = 0; i < scenario.check.size(); ++i) {
        const std::string& name = scenario.check[i];
        if (name == "all" || name == "safety") {
            for (const Property& property : all_properties()) {
                if (applies(property, features) && (name == "all" || is_safety(property))) {
                    add(&property);
                }
            }
            continue;
        }
        const Property* property = find_property(name);
        if (property == nullptr) {
            return InputError{scenario.file, "/check/" + std::to_string(i),
                              unknown_property(name, {"all", "safety"})};
        }
        if (!applies(*property, features)) {
            return does_not_apply(scenario, i, *property);
        }
        add(property);
    }
    return chosen;
}

std::variant<std::vector<const Property*>, InputError> goals_to_reach(const Scenario& scenario) {
    std::vector<const Property*> goals;
    for (std::size_t i = 0; i < scenario.reach.size(); ++i) {
        const Property* goal = find_goal(scenario.reach[i]);
        if (goal == nullptr) {
            return InputError{scenario.file, "/reach/" + std::to_string(i),
                              "unknown goal \"" + scenario.reach[i] + "\"" +
                                  nearest_or_known(scenario.reach[i], names_of(all_goals()))};
        }
        goals.push_back(goal);
    }
    return goals;
}

std::optional<InputError> leave_out_what_is_not_shown(std::uint32_t features,
                                                      Understood& understood) {
    const Scenario& scenario = understood.scenario;
    for (std::size_t i = 0; i < scenario.check.size(); ++i) {
        const Property* property = find_property(scenario.check[i]);
        if (property != nullptr && !applies(*property, features)) {
            return does_not_apply(scenario, i, *property);
        }
    }
    std::erase_if(understood.check,
                  [&](const Property* property) { return !applies(*property, features); });
    return std::nullopt;
}

}  // namespace lockkeeper
