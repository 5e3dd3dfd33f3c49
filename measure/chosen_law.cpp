// SPDX-License-Identifier: Apache-2.0
#include "measure/chosen_law.hpp"

#include <algorithm>
#include <map>
#include <string_view>

#include <fmt/format.h>

#include "model/check.hpp"
#include "model/printable.hpp"
#include "scenarios/bad_input.hpp"
#include "scenarios/registry/unknown_names.hpp"
#include "scenarios/units.hpp"

namespace lockkeeper {
namespace {

ActionClass class_named(const std::string& name) {
    std::vector<std::string> known;
    for (std::size_t i = 0; i < kActionClasses; ++i) {
        known.emplace_back(name_of(static_cast<ActionClass>(i)));
        if (name == known.back()) {
            return static_cast<ActionClass>(i);
        }
    }
    throw UsageError(fmt::format("--law: unknown kind of action \"{}\"{}", printable(name),
                                 nearest_or_known(name, known)));
}

// "crash=2/h" into `weights`; false: no weight.
bool add_weight(const std::string& part, bool is_rate, std::map<ActionClass, double>& weights) {
    const auto named = parse_assignment(part);
    if (!named) {
        return false;
    }
    const ActionClass which = class_named(named->first);
    std::string_view number = named->second;
    const bool per_hour = is_rate && number.size() > 2 && number.ends_with("/h");
    number.remove_suffix(per_hour ? 2 : 0);
    const auto weight = parse_real(number);
    const bool is_weight =
        weight && (*weight == 0 || (*weight >= kWeightMin && *weight <= kWeightMax));
    return is_weight && weights.emplace(which, *weight / (per_hour ? kSecondsPerHour : 1)).second;
}

}  // namespace

std::optional<Law> parse_law(const std::string& text) {
    if (text == "uniform") {
        return Law();
    }
    const std::size_t colon = text.find(':');
    const std::string kind = text.substr(0, colon);
    if (colon == std::string::npos || (kind != "weights" && kind != "rates")) {
        return std::nullopt;
    }
    const bool is_rate = kind == "rates";
    std::map<ActionClass, double> weights;
    for (const std::string& part : parts_of(std::string_view(text).substr(colon + 1), ',')) {
        if (!add_weight(part, is_rate, weights)) {
            return std::nullopt;
        }
    }
    return make_law(is_rate ? LawKind::kRates : LawKind::kWeights, weights);
}

ChosenLaw law_for(const std::optional<Law>& flag, const Scenario& scenario) {
    if (flag) {
        return {*flag, LawOrigin::kFlag};
    }
    if (scenario.law) {
        return {*scenario.law, LawOrigin::kScenario};
    }
    if (scenario.traffic) {
        return {law_of(*scenario.traffic, scenario.world), LawOrigin::kTraffic};
    }
    return {};
}

Law law_of(const Traffic& traffic, const WorldConfig& world) {
    const auto callers = static_cast<double>(world.callers.size());
    const auto mortal = static_cast<double>(
        std::count_if(world.callers.begin(), world.callers.end(),
                      [](const CallerConfig& caller) { return caller.may_crash; }));
    std::map<ActionClass, double> rates;
    rates[ActionClass::kStep] = traffic.steps_per_second;
    rates[ActionClass::kArrival] = traffic.acquires_per_second / callers;
    rates[ActionClass::kDeparture] =
        traffic.hold_seconds > 0 ? 1 / traffic.hold_seconds : traffic.steps_per_second;
    rates[ActionClass::kCrash] =
        mortal > 0 ? traffic.crashes_per_hour / kSecondsPerHour / mortal : 0;
    rates[ActionClass::kResize] = traffic.resizes_per_hour / kSecondsPerHour;
    const auto law = make_law(LawKind::kRates, rates);
    LOCKKEEPER_CHECK(law);
    return *law;
}

std::vector<LawWarning> warnings_about(const Law& law, const Scenario& scenario) {
    std::vector<LawWarning> warnings;
    const auto warn = [&](bool is_allowed, ActionClass which) {
        if (is_allowed && law.weight(which) == 0) {
            warnings.push_back({LawConcern::kNeverHappens, which});
        }
    };
    if (scenario.traffic) {
        const double busy = scenario.traffic->acquires_per_second * scenario.traffic->hold_seconds;
        const std::size_t callers = scenario.world.callers.size();
        if (busy > static_cast<double>(callers)) {
            warnings.push_back({LawConcern::kTooFewCallers, {}, busy, callers});
        }
        if (law.kind != LawKind::kRates) {
            warnings.push_back({LawConcern::kKnowsNoTime});
        }
    }
    warn(scenario.world.crashes_max > 0, ActionClass::kCrash);
    warn(scenario.world.resizes_max() > 0, ActionClass::kResize);
    const auto& faults = scenario.parameters.faults;
    const bool has_faults = std::any_of(faults.begin(), faults.end(),
                                        [](const auto& fault) { return fault.second > 0; });
    if (has_faults && law.weight(ActionClass::kDisturbance) == 0) {
        warn(true, ActionClass::kFault);
    }
    return warnings;
}

}  // namespace lockkeeper
