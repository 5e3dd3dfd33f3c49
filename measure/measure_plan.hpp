// SPDX-License-Identifier: Apache-2.0

// The plan of `measure --compare --sweep`: each variant with each value of the swept parameters,
// one after the other. Errors: UsageError (scenarios/registry/vary.hpp).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "measure/chosen_law.hpp"
#include "measure/measure.hpp"
#include "scenarios/registry/registry.hpp"

namespace lockkeeper {

// "--sweep NAME=0..15" or "NAME=1,2,5"; what can be named: scenarios/registry/vary.hpp.
struct SweepAxis {
    std::string name;
    std::vector<double> values;
};

inline constexpr std::size_t kSweepValuesMax = 1000;
// "NAME=0..15" (whole numbers) or "NAME=1,2.5": up to kSweepValuesMax different numbers. Nothing:
// it is something else.
[[nodiscard]] std::optional<SweepAxis> parse_sweep_axis(const std::string& text);
// "faithful,canal/repaired": up to 16 different ones. Empty: it is something else.
[[nodiscard]] std::vector<std::string> parse_variants(const std::string& text);

struct MeasurePlan {
    std::vector<std::string> variants;  // "VARIANT" or "SYSTEM/VARIANT"; empty: the scenario's
    std::vector<SweepAxis> sweep;

    [[nodiscard]] std::size_t points_count() const;
    // UsageError (--sweep) for a third one, or one of the same name.
    void add(SweepAxis axis);
};

// UsageError: bounds without a graph, a number that is set (`numbers`) and swept.
void refuse_contradictions(const MeasureOptions& options, const MeasurePlan& plan,
                           const std::map<std::string, std::int32_t>& numbers);

struct PlannedPoint {
    Scenario scenario;
    Law law;
    std::vector<std::pair<std::string, double>> at;  // the swept parameters
};
// The last axis fastest. The scenario as it stands keeps its bounds of rates; what is varied has
// none. The law of traffic follows the number of callers.
[[nodiscard]] std::vector<PlannedPoint> planned_points(const Registry& registry,
                                                       const Scenario& scenario,
                                                       const ChosenLaw& law,
                                                       const MeasurePlan& plan);

}  // namespace lockkeeper
