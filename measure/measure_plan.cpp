// SPDX-License-Identifier: Apache-2.0
#include "measure/measure_plan.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "scenarios/bad_input.hpp"
#include "scenarios/registry/vary.hpp"
#include "scenarios/units.hpp"

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

// "0..15"
std::vector<double> range_of(std::string_view from_text, std::string_view to_text) {
    const auto from = parse_real(from_text);
    const auto to = parse_real(to_text);
    const auto is_whole = [](double number) {
        return number == std::floor(number) && std::abs(number) <= kOwnNumberMax;
    };
    std::vector<double> values;
    if (from && to && is_whole(*from) && is_whole(*to) &&
        *to - *from < static_cast<double>(kSweepValuesMax)) {
        for (double value = *from; value <= *to; value += 1) {
            values.push_back(value);
        }
    }
    return values;
}

// "1,2.5"
std::vector<double> numbers_of(std::string_view text) {
    std::vector<double> values;
    for (const std::string& part : parts_of(text, ',')) {
        const auto value = parse_real(part);
        const bool is_new =
            value && std::find(values.begin(), values.end(), *value) == values.end();
        if (!is_new || values.size() == kSweepValuesMax) {
            return {};
        }
        values.push_back(*value);
    }
    return values;
}

}  // namespace

std::optional<SweepAxis> parse_sweep_axis(const std::string& text) {
    const auto named = parse_assignment(text);
    if (!named) {
        return std::nullopt;
    }
    const std::string_view values = named->second;
    const std::size_t dots = values.find("..");
    SweepAxis axis{named->first, dots == std::string_view::npos
                                     ? numbers_of(values)
                                     : range_of(values.substr(0, dots), values.substr(dots + 2))};
    return axis.values.empty() ? std::nullopt : std::optional(std::move(axis));
}

std::vector<std::string> parse_variants(const std::string& text) {
    constexpr std::size_t kMost = 16;
    std::vector<std::string> names = parts_of(text, ',');
    std::vector<std::string> sorted = names;
    std::sort(sorted.begin(), sorted.end());
    const bool is_list = names.size() <= kMost && !sorted.front().empty() &&
                         std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
    return is_list ? names : std::vector<std::string>();
}

std::size_t MeasurePlan::points_count() const {
    std::size_t count = std::max<std::size_t>(1, variants.size());
    for (const SweepAxis& axis : sweep) {
        count *= axis.values.size();
    }
    constexpr std::size_t kPointsMax = 20'000;
    if (count > kPointsMax) {
        throw UsageError(
            fmt::format("--sweep: {} points; at most {} are measured", count, kPointsMax));
    }
    return count;
}

void MeasurePlan::add(SweepAxis axis) {
    constexpr std::size_t kMost = 2;
    const bool is_known = std::any_of(sweep.begin(), sweep.end(), [&](const SweepAxis& other) {
        return other.name == axis.name;
    });
    if (is_known || sweep.size() == kMost) {
        throw UsageError("--sweep: at most two of them, of different names");
    }
    sweep.push_back(std::move(axis));
}

void refuse_contradictions(const MeasureOptions& options, const MeasurePlan& plan,
                           const std::map<std::string, std::int32_t>& numbers) {
    const bool is_sampled =
        options.method == MeasureMethod::kSampled || options.method == MeasureMethod::kSplitting;
    if (options.bounds && is_sampled) {
        throw UsageError("--bounds are of the whole graph: they go with --method auto or exact");
    }
    if (options.ages && options.method != MeasureMethod::kSampled) {
        throw UsageError("--ages are of runs: they go with --method sampled");
    }
    for (const SweepAxis& axis : plan.sweep) {
        if (numbers.contains(axis.name)) {
            throw UsageError("--set " + axis.name + " does not go with a sweep over it");
        }
    }
}

std::vector<PlannedPoint> planned_points(const Registry& registry, const Scenario& scenario,
                                         const ChosenLaw& law, const MeasurePlan& plan) {
    std::vector<PlannedPoint> points;
    points.reserve(plan.points_count());
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
