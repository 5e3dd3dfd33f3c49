// SPDX-License-Identifier: Apache-2.0
#include "measure/sweep_run.hpp"

#include <algorithm>
#include <chrono>
#include <mutex>

#include <fmt/format.h>

#include "measure/sweep_crew.hpp"
#include "model/read_text.hpp"
#include "scenarios/registry/job.hpp"

namespace lockkeeper {
namespace {

InputError at_point(const Sweep& sweep, const SweepPoint& point, const InputError& error) {
    return {name_in_messages(sweep.file), error.pointer,
            error.message + " (" + point_text(sweep, point) + ")"};
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
    auto parsed = parse_scenario(point.scenario->dump(), sweep.file);
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
    std::vector<PointWork> work;
    for (const SweepPoint& point : points) {
        auto scenario = scenario_of(sweep, point, vary);
        if (const auto* error = std::get_if<InputError>(&scenario)) {
            return *error;
        }
        work.push_back({std::move(std::get<Scenario>(scenario)),
                        sweep.measuring ? std::optional(point.measuring) : std::nullopt});
        const auto job = make_job(registry, work.back().scenario);
        if (const auto* error = std::get_if<InputError>(&job)) {
            return at_point(sweep, point, *error);
        }
        if (const auto error = too_many_checks(sweep, std::get<Job>(job))) {
            return at_point(sweep, point, *error);
        }
    }
    std::mutex progress;
    std::uint64_t done = 0;
    const auto note_one = [&] {
        const std::lock_guard lock(progress);
        ++done;
        if (limits.progress) {
            limits.progress(
                done,
                std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count());
        }
    };
    std::vector<MadePoint> made(work.size());
    if (limits.helpers.ranks != nullptr) {
        work_with_others(registry, limits, work, made, note_one);
    } else {
        SweepCrew(registry, limits).work(work, made, note_one);
    }
    std::vector<SweptPoint> results;
    for (MadePoint& one : made) {
        if (one.error) {
            std::rethrow_exception(one.error);
        }
        results.push_back(std::move(one.point));
    }
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
