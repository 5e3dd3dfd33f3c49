// SPDX-License-Identifier: Apache-2.0
#include "scenarios/registry/job.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "model/check.hpp"
#include "model/json_position.hpp"
#include "properties/catalogue.hpp"
#include "scenarios/bad_input.hpp"
#include "scenarios/registry/checks.hpp"
#include "scenarios/registry/unknown_names.hpp"

namespace lockkeeper {
namespace {

// A property that does not exist is never violated: the expectation could not be met, whatever the
// lock does.
std::optional<InputError> unknown_expectation(const Scenario& scenario) {
    const std::vector<std::string>& expected = scenario.expect.properties;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        if (find_property(expected[i]) == nullptr) {
            return InputError{scenario.file, fmt::format("/expect/properties/{}", i),
                              unknown_property(expected[i])};
        }
    }
    return std::nullopt;
}

// The same for bounds of rates; and what is not checked is not measured.
std::optional<InputError> bound_of_nothing(const Job& job) {
    for (const auto& entry : job.scenario.expect.max_rate) {
        const std::string& name = entry.first;
        const Property* property = find_property(name);
        const bool is_checked =
            std::find(job.check.begin(), job.check.end(), property) != job.check.end();
        const std::string wrong =
            property == nullptr ? unknown_property(name)
            : property->is(PropertyNumber::kLivelock)
                ? "livelock is a property of cycles, not of runs: it has no rate"
            : is_checked ? ""
                         : fmt::format("\"{}\" is not in \"check\"", name);
        if (!wrong.empty()) {
            return InputError{job.scenario.file, "/expect/max_rate/" + pointer_step(name), wrong};
        }
    }
    return std::nullopt;
}

// An expectation may pin numbers of the whole graph, or a shortest length.
AutoReduction automatic_for(const Expectation& expect) {
    AutoReduction automatic;
    automatic.is_on = true;
    automatic.wants_shortest = expect.steps.has_value();
    const bool pins_counts =
        expect.states || expect.transitions || expect.terminal_states || expect.interleavings;
    automatic.every_state_for = pins_counts ? "the scenario pins counts" : "";
    return automatic;
}

void choose(AskedReduction asked, const Expectation& expect, ExploreOptions& options) {
    options.reduction = further_of(asked);
    if (asked == AskedReduction::kAuto) {
        options.automatic = automatic_for(expect);
    } else if (asked == AskedReduction::kNone) {
        options.symmetry = false;
        options.sleep_sets = false;
    }
}

}  // namespace

std::variant<Job, InputError> make_job(const Registry& registry, Scenario scenario) {
    Job job;
    Understood& understood = job;
    auto error = take_value(registry.understand(std::move(scenario)), understood);
    job.file = job.scenario.file;
    error = error ? error : take_value(job.system->make(job.scenario), job.runner);
    error = error ? error : leave_out_what_is_not_shown(job.runner->features(), job);
    error = error ? error : unknown_expectation(job.scenario);
    error = error ? error : bound_of_nothing(job);
    if (error) {
        return *std::move(error);
    }
    return job;
}

ExploreOptions explore_options_of(const Job& job, std::optional<AskedReduction> asked) {
    const Scenario& scenario = job.scenario;
    ExploreOptions options;
    options.check = job.check;
    options.reach = job.reach;
    options.symmetry = scenario.symmetry;
    choose(asked.value_or(scenario.reduction), scenario.expect, options);
    options.states_max = scenario.limits.states_max.value_or(options.states_max);
    options.depth_max = scenario.limits.steps_max.value_or(options.depth_max);
    options.seconds_max = scenario.limits.seconds_max.value_or(options.seconds_max);
    return options;
}

FuzzOptions fuzz_options_of(const Job& job) {
    const Scenario& scenario = job.scenario;
    FuzzOptions options;
    options.check = job.check;
    options.reach = job.reach;
    options.symmetry = scenario.symmetry;
    options.strategy = scenario.strategy.empty() ? options.strategy : scenario.strategy;
    options.seed = scenario.seed;
    options.schedules_max = scenario.limits.schedules_max.value_or(options.schedules_max);
    options.steps_max = scenario.limits.steps_max.value_or(options.steps_max);
    options.seconds_max = scenario.limits.seconds_max.value_or(options.seconds_max);
    return options;
}

const Schedule* own_schedule(const Job& job) {
    const bool has_one = job.scenario.method == Method::kReplay && job.scenario.schedule;
    return has_one ? &*job.scenario.schedule : nullptr;
}

Trace run_as_written(const Job& job, const ReplayOptions& options) {
    if (const Schedule* schedule = own_schedule(job)) {
        return job.runner->replay(*schedule, options);
    }
    if (job.scenario.method != Method::kOrder) {
        refuse(job.scenario, "", "has no schedule and no order; say --schedule 'lk1:...'");
    }
    return job.runner->run_in_order(order_of(job.scenario, job.runner->world()), options);
}

std::string strategy_of(const Job& job) {
    switch (job.scenario.method) {
        case Method::kExplore: return "breadth-first";
        case Method::kFuzz: return fuzz_options_of(job).strategy;
        case Method::kOrder: return "order";
        case Method::kReplay: return "replay";
    }
    unreachable("a method without a strategy");
}

}  // namespace lockkeeper
