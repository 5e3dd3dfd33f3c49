// SPDX-License-Identifier: Apache-2.0
#include "reports/sweep_report.hpp"

#include <fmt/format.h>

#include "reports/run_text.hpp"
#include "work/results/measure_words.hpp"
#include "work/results/sweep_table.hpp"
#include "work/results/words.hpp"

namespace lockkeeper {
namespace {

std::uint64_t states_of(const SweptTable& table) {
    std::uint64_t states = 0;
    for (const SweptPoint& point : table.results) {
        states += point.states;
    }
    return states;
}

std::string violations_text(const SweptPoint& point) {
    std::string text;
    for (const SweptViolation& violation : point.violations) {
        text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", name_of(violation),
                            counted(violation.steps, "step"));
    }
    return text;
}

std::string rates_text(const MeasuredPoint& measured) {
    const MeasureResult& result = measured.result;
    if (!has_figures(result)) {
        return "no figures";
    }
    std::string text;
    for (const PropertyRates& rates : result.properties) {
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", rates.property->name,
                            with_interval(rates.per_run, is_sampled(result)));
    }
    const std::string how =
        is_sampled(result) ? counted(result.runs, "run") : counted(result.states, "state");
    return fmt::format("{} ({}, {})", text, name_of(result.method), how);
}

bool is_told(const Sweep& sweep, const SweepPoint& point, const SweptPoint& result) {
    bool is_told = !result.complete || result.measured.has_value();
    for (const SweptViolation& violation : result.violations) {
        is_told = is_told || !is_expected(sweep, point, violation);
    }
    return is_told;
}

}  // namespace

std::string sweep_head(const SweptTable& table) {
    return fmt::format("{}  scope: {}\n{}\n", build_text(), counted(table.points.size(), "point"),
                       table.sweep.about);
}

std::string sweep_text(const RunReport& report, const SweptTable& table) {
    std::string text;
    std::size_t found = 0;
    std::size_t cut = 0;
    for (std::size_t i = 0; i < table.points.size(); ++i) {
        const SweptPoint& result = table.results[i];
        found += result.violations.empty() ? 0U : 1U;
        cut += result.complete ? 0U : 1U;
        if (is_told(table.sweep, table.points[i], result)) {
            text += fmt::format(
                "  {}: {}{}\n", point_text(table.sweep, table.points[i]),
                result.complete ? "" : "NOT complete ",
                result.measured ? rates_text(*result.measured) : violations_text(result));
        }
    }
    text += counted(table.points.size(), "point");
    text += table.sweep.measuring ? " measured"
                                  : fmt::format(", {} with a finding", with_commas(found));
    text += fmt::format(", {} not complete, {}, {}\n", with_commas(cut),
                        counted(states_of(table), "state"), seconds_text(report.seconds));
    return text + "verdict: " + verdict_text(report.verdict, {}) + "\n";
}

}  // namespace lockkeeper
