// SPDX-License-Identifier: Apache-2.0

// Puts into words what a system shows, and what a search finds: for tests that compare a system
// with another, or a search that leaves states out with the whole one.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <string>

#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "impl/descriptor/drawn_faults_test.hpp"
#include "model/slow_build_test.hpp"
#include "model/virtual_time.hpp"

namespace lockkeeper::testing_descriptor {

inline constexpr std::uint64_t kStatesMost = testing_model::kIsSlowBuild ? 1'000 : 5'000;

// Random scopes; LOCKKEEPER_SCOPES says another number.
inline std::size_t scopes_count() {
    const char* given = std::getenv("LOCKKEEPER_SCOPES");
    const std::size_t scopes = testing_model::kIsSlowBuild     ? 60
                               : testing_model::is_short_run() ? 80
                                                               : 1'000;
    return given == nullptr ? scopes : std::stoul(given);
}

// kNoInstants: apart from the instants in it.
enum class Shows { kAll, kNoInstants };

inline std::string text_of(const Event& event, Shows shows = Shows::kAll) {
    return fmt::format("{} {} {} {} {} {} {} {} {} {}", event.what, event.caller, event.key,
                       event.error, event.place, event.breaches,
                       shows == Shows::kAll ? event.value : 0, event.count, event.certain_least,
                       event.possible_most);
}

inline std::string seen(const ErasedSystem& system, const ErasedSystem::State& state,
                        Shows shows = Shows::kAll) {
    Observation seen{};
    system.observe(state, seen);
    if (shows == Shows::kNoInstants) {
        seen.now = 0;
    }
    std::string text = fmt::format("{} {} {} {} {};", seen.quiescent, seen.servers_gone,
                                   seen.grants_overlap, seen.beliefs_overlap, seen.now);
    for (std::size_t i = 0; i < seen.keys_count; ++i) {
        KeyObservation& key = seen.keys[i];
        for (std::int32_t& counter : key.counters) {
            counter = shows == Shows::kAll || counter == kAbsentCounter ? counter : 0;
        }
        text +=
            fmt::format("{} {} {} {} {} {} {};", key.believed, key.counted_least, key.counted_most,
                        key.releasable, key.granted, key.phantoms, fmt::join(key.counters, " "));
    }
    for (std::size_t i = 0; i < seen.callers_count; ++i) {
        const CallerObservation& caller = seen.callers[i];
        text += fmt::format("{} {} {} {} {};", caller.dead, caller.calling, caller.finished,
                            fmt::join(caller.believed, " "), fmt::join(caller.references, " "));
    }
    return text;
}

// A shipped scenario with faults that nobody thought of, and everything asked about.
inline Scenario drawn_scope(const std::vector<Scenario>& all, Random& random) {
    Scenario scenario = all[random.below(static_cast<std::uint32_t>(all.size()))];
    draw_faults(scenario, random);
    scenario.find.reset();
    scenario.check = {"all"};
    return scenario;
}

// By the clock nothing happens after that end; in relative time runs go on.
inline bool may_come_to_the_end_of_the_numbers(const Scenario& scenario) {
    const auto& own = scenario.parameters.own;
    return std::any_of(own.begin(), own.end(), [](const auto& parameter) {
        return parameter.first.starts_with("locktimeout") && parameter.second > kInstantMax / 4;
    });
}

// All that needs no graph.
inline ExploreOptions asking(const Job& job, Reduction reduction, std::size_t jobs) {
    ExploreOptions options = explore_options_of(job);
    options.check.clear();
    for (const Property* property : job.check) {
        if (!property->is(PropertyNumber::kLivelock)) {
            options.check.push_back(property);
        }
    }
    options.automatic.is_on = false;
    options.reduction = reduction;
    options.counting = Counting::kOff;
    options.stop_at_first = false;
    options.states_max = kStatesMost;
    options.jobs = jobs;
    return options;
}

struct Told {
    std::string verdict;
    std::map<std::string, std::size_t> lengths;  // of the violations
    std::set<std::string> goals;
    std::uint64_t states = 0;
    bool complete = false;
    std::string limit;        // why it is not complete
    std::uint64_t depth = 0;  // of the deepest state; an incomplete search ends within a level
    Reduction reduction = Reduction::kNone;  // that was used
    std::uint64_t states_before = 0;
    bool runs_end = false;
};

inline Told told(const Job& job, const ExploreOptions& options) {
    const ExploreResult result = job.runner->explore(options);
    Told told{std::to_string(result.verdict.index()),
              {},
              {},
              result.states,
              result.complete,
              result.limit,
              result.depth,
              result.reduction,
              result.states_before,
              result.runs_end};
    for (const FoundViolation& violation : result.violations) {
        told.lengths[std::string(violation.property->name)] = violation.schedule.actions.size();
        ReplayOptions replaying;
        replaying.check = options.check;
        replaying.cycle_start = violation.cycle_start;
        const Trace trace = job.runner->replay(violation.schedule, replaying);
        EXPECT_TRUE(trace.divergences.empty()) << violation.property->name;
        EXPECT_NE(std::find(trace.violated.begin(), trace.violated.end(), violation.property),
                  trace.violated.end())
            << violation.property->name;
    }
    for (const Property* goal : result.reached) {
        told.goals.emplace(goal->name);
    }
    return told;
}

}  // namespace lockkeeper::testing_descriptor
