#include "measure/measure_plan.hpp"

#include <algorithm>

#include "scenarios/registry/vary.hpp"

namespace lockkeeper {
namespace {

// Every combination of values.
std::vector<std::vector<std::pair<std::string, double>>> combinations(
    const std::vector<SweepAxis>& sweep) {
    std::vector<std::vector<std::pair<std::string, double>>> all(1);
    for (const SweepAxis& axis : sweep) {
        std::vector<std::vector<std::pair<std::string, double>>> more;
        for (const auto& values : all) {
            for (const double value : axis.values) {
                more.push_back(values);
                more.back().emplace_back(axis.name, value);
            }
        }
        all = std::move(more);
    }
    return all;
}

}  // namespace

std::size_t MeasurePlan::points_count() const {
    return std::max<std::size_t>(1, variants.size()) * combinations(sweep).size();
}

std::vector<PlannedPoint> planned_points(const Registry& registry, const Scenario& scenario,
                                         const ChosenLaw& law, const MeasurePlan& plan) {
    std::vector<PlannedPoint> points;
    const std::vector<std::string> own(1);
    for (const std::string& variant : plan.variants.empty() ? own : plan.variants) {
        for (const auto& at : combinations(plan.sweep)) {
            PlannedPoint& point = points.emplace_back(PlannedPoint{scenario, law.law, at});
            if (!variant.empty()) {
                take_variant(registry, variant, point.scenario);
            }
            if (!variant.empty() || !at.empty()) {
                point.scenario.expect.max_rate.clear();
            }
            for (const auto& [name, value] : at) {
                vary(registry, name, value, point.scenario, point.law);
            }
            if (law.origin == LawOrigin::kTraffic) {
                point.law = law_of(*point.scenario.traffic, point.scenario.world);
            }
        }
    }
    return points;
}

}  // namespace lockkeeper
