#include "measure/chosen_law.hpp"

#include <algorithm>

#include "model/check.hpp"

namespace lockkeeper {

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
