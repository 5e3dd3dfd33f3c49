// SPDX-License-Identifier: Apache-2.0
#include "measure/sweep_run.hpp"

#include <algorithm>
#include <chrono>
#include <mutex>

#include <fmt/format.h>

#include "measure/chosen_law.hpp"
#include "model/read_text.hpp"
#include "scenarios/registry/job.hpp"
#include "scheduler/work_crew.hpp"

namespace lockkeeper {
namespace {

InputError at_point(const Sweep& sweep, const SweepPoint& point, const InputError& error) {
    return {name_in_messages(sweep.file), error.pointer,
            error.message + " (" + point_text(sweep, point) + ")"};
}

// Of the schedule, and those of a look at the end that no schedule has.
std::uint64_t steps_of(const Runner& runner, const FoundViolation& violation) {
    ReplayOptions options;
    options.describes = false;
    options.cycle_start = violation.cycle_start;
    if (violation.property != nullptr) {
        options.check = {violation.property};
    }
    const Trace trace = runner.replay(violation.schedule, options);
    return std::max(violation.schedule.actions.size(), trace.steps.size());
}

SweptPoint explored(const Job& job, const SweepLimits& limits) {
    ExploreOptions options = explore_options_of(job);
    options.counting = Counting::kOff;
    options.states_max = limits.states_max;
    options.bytes_max = limits.bytes_max / limits.jobs;
    options.process_bytes_max = limits.bytes_max;
    const Runner& runner = *job.runner;
    const ExploreResult result = runner.explore(options);
    SweptPoint point{runner.world().callers.size(), result.states, result.complete, {}, {}};
    for (const FoundViolation& violation : result.violations) {
        point.violations.push_back({violation.property, steps_of(runner, violation)});
    }
    if (const auto* stuck = std::get_if<Stuck>(&result.verdict)) {
        point.violations.push_back({nullptr, steps_of(runner, {nullptr, stuck->schedule})});
    }
    const auto name = [](const SweptViolation& one) {
        return one.property != nullptr ? one.property->name : std::string_view("~");
    };
    std::sort(point.violations.begin(), point.violations.end(),
              [&](const SweptViolation& left, const SweptViolation& right) {
                  return name(left) < name(right);
              });
    return point;
}

SweptPoint measured(const Job& job, const SweepMeasuring& measuring, const SweepLimits& limits) {
    const Scenario& scenario = job.scenario;
    MeasureOptions options;
    options.law = law_for({}, scenario).law;
    options.check = measurable(job.check);
    options.method = measuring.method.value_or(options.method);
    options.runs_max = measuring.runs.value_or(options.runs_max);
    options.symmetry = scenario.symmetry;
    options.seed = scenario.seed;
    options.steps_max = scenario.limits.steps_max.value_or(options.steps_max);
    options.states_max = std::min(options.states_max, limits.states_max);
    options.bytes_max = limits.bytes_max / limits.jobs;
    options.process_bytes_max = limits.bytes_max;
    const bool states_are_given = limits.states_max != SweepLimits().states_max;
    SweptPoint point{job.runner->world().callers.size(), 0, false, {}, {}};
    point.measured = measure_point(*job.runner, scenario, options, states_are_given, 1);
    point.states = point.measured->result.states;
    point.complete = point.measured->result.complete;
    return point;
}

// More is not measured at once.
std::optional<InputError> too_many_checks(const Sweep& sweep, const Job& job) {
    const std::size_t count = measurable(job.check).size();
    if (!sweep.measuring || (count > 0 && count <= kExactPropertiesMax)) {
        return std::nullopt;
    }
    return InputError{"", "/scenario/check",
                      fmt::format("{} properties; from 1 to {} are measured at once", count,
                                  kExactPropertiesMax)};
}

}  // namespace

std::variant<Scenario, InputError> scenario_of(const Sweep& sweep, const SweepPoint& point,
                                               const VaryScenario& vary) {
    auto parsed = parse_scenario(point.scenario.dump(), sweep.file);
    if (const auto* error = std::get_if<InputError>(&parsed)) {
        return at_point(sweep, point, *error);
    }
    Scenario& scenario = std::get<Scenario>(parsed);
    scenario.source = nullptr;  // no text of the user's
    for (const auto& [name, value] : point.vary) {
        vary(name, value, scenario);
    }
    return std::move(scenario);
}

std::variant<std::vector<SweptPoint>, InputError> run_sweep(const Registry& registry,
                                                            const Sweep& sweep,
                                                            const std::vector<SweepPoint>& points,
                                                            const SweepLimits& limits,
                                                            const VaryScenario& vary) {
    const auto began = std::chrono::steady_clock::now();
    std::vector<Scenario> scenarios;
    for (const SweepPoint& point : points) {
        auto scenario = scenario_of(sweep, point, vary);
        if (const auto* error = std::get_if<InputError>(&scenario)) {
            return *error;
        }
        scenarios.push_back(std::move(std::get<Scenario>(scenario)));
        const auto job = make_job(registry, scenarios.back());
        if (const auto* error = std::get_if<InputError>(&job)) {
            return at_point(sweep, point, *error);
        }
        if (const auto error = too_many_checks(sweep, std::get<Job>(job))) {
            return at_point(sweep, point, *error);
        }
    }
    std::vector<SweptPoint> results(points.size());
    std::mutex progress;
    std::uint64_t done = 0;
    WorkCrew crew(limits.jobs);
    crew.run(points.size(), [&](std::size_t, std::size_t piece) {
        if (interrupt_requested()) {
            return;
        }
        const Job job = std::get<Job>(make_job(registry, scenarios[piece]));
        results[piece] = sweep.measuring ? measured(job, points[piece].measuring, limits)
                                         : explored(job, limits);
        const std::lock_guard lock(progress);
        ++done;
        if (limits.progress) {
            limits.progress(
                done,
                std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count());
        }
    });
    return results;
}

bool is_expected(const Sweep& sweep, const SweepPoint& point, const SweptViolation& violation) {
    return std::any_of(
        sweep.expected.begin(), sweep.expected.end(), [&](const ExpectedFindings& expected) {
            return holds(expected.of, point.chosen) &&
                   (expected.any ||
                    (violation.property != nullptr &&
                     expected.properties.contains(std::string(violation.property->name))));
        });
}

}  // namespace lockkeeper
