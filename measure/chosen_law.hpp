// SPDX-License-Identifier: Apache-2.0

// Which law a scenario is measured under, and what of the scenario that law forbids.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/scenario.hpp"

namespace lockkeeper {

enum class LawOrigin : std::uint8_t { kDefault, kFlag, kScenario, kTraffic };

struct ChosenLaw {
    Law law;
    LawOrigin origin = LawOrigin::kDefault;
};
// The command line's, else the scenario's, else what its traffic says, else uniform.
[[nodiscard]] ChosenLaw law_for(const std::optional<Law>& flag, const Scenario& scenario);

// Reads the words of the command line: "uniform", "weights:step=1,crash=0.001",
// "rates:step=1000,arrival=2,crash=1/h". Nothing: it is no law. UsageError for an unknown class.
[[nodiscard]] std::optional<Law> parse_law(const std::string& text);

// The rates that traffic says: each caller arrives, and crashes, with its share of the rate.
[[nodiscard]] Law law_of(const Traffic& traffic, const WorldConfig& world);

enum class LawConcern : std::uint8_t {
    kNeverHappens,   // the scenario has actions of class `which`, the law gives them weight 0
    kTooFewCallers,  // the traffic keeps `busy` locks held, which `callers` cannot do
    kKnowsNoTime,    // traffic, under a law without rates
};
struct LawWarning {
    LawConcern concern = LawConcern::kNeverHappens;
    ActionClass which = ActionClass::kStep;
    double busy = 0;
    std::size_t callers = 0;
};
[[nodiscard]] std::vector<LawWarning> warnings_about(const Law& law, const Scenario& scenario);

}  // namespace lockkeeper
