// SPDX-License-Identifier: Apache-2.0
#include "work/scope.hpp"

#include <set>

#include "scenarios/registry/time_units.hpp"
#include "work/results/words.hpp"

namespace lockkeeper {
namespace {

std::string joined(const std::set<std::uint16_t>& numbers) {
    std::string text;
    for (const std::uint16_t number : numbers) {
        text += (text.empty() ? "" : ",") + std::to_string(number);
    }
    return text.empty() ? "none" : text;
}

}  // namespace

std::string scope_text(const WorldConfig& world) {
    std::set<std::uint16_t> max_per;
    std::set<std::uint16_t> buckets;
    bool follows = false;
    bool for_ever = false;
    for (const CallerConfig& caller : world.callers) {
        for_ever = for_ever || caller.repeats_forever;
        for (const Operation& operation : caller.script) {
            if (operation.verb != Verb::kAcquire && operation.verb != Verb::kRelease) {
                continue;
            }
            max_per.insert(operation.place_capacity);
            if (operation.follows_resizes) {
                follows = true;
            } else {
                buckets.insert(operation.places);
            }
        }
    }
    if (follows) {
        buckets.insert(world.views.begin(), world.views.end());
    }
    std::string text = counted(world.callers.size(), "caller") + ", " +
                       counted(world.keys.size(), "key") + ", max_per " + joined(max_per) +
                       ", buckets " + joined(buckets) + ", crashes " +
                       std::to_string(world.crashes_max);
    if (world.resizes_max() > 0) {
        text += ", resizes " + std::to_string(world.resizes_max());
    }
    return text + (for_ever ? ", scripts repeat for ever" : "");
}

std::string short_scope_text(const WorldConfig& world) {
    std::string text = counted(world.callers.size(), "caller");
    text +=
        ", " + std::to_string(world.crashes_max) + (world.crashes_max == 1 ? " crash" : " crashes");
    if (world.resizes_max() > 0) {
        text += ", " + counted(world.resizes_max(), "resize");
    }
    return text;
}

std::string scope_of(const RegisteredSystem& system, const Scenario& scenario,
                     const WorldConfig& world) {
    const ScenarioParameters& parameters = scenario.parameters;
    std::string text = scope_text(world);
    if (knows(system.vocabulary, FormatKey::kManager)) {
        text += parameters.has_manager
                    ? ", manager_max_per " + std::to_string(parameters.manager_max_per)
                    : ", no manager";
        text += ", max_decr_tries " + (parameters.max_decr_tries
                                           ? std::to_string(*parameters.max_decr_tries)
                                           : std::string("unlimited"));
        text += parameters.tables.empty() ? ", cold" : ", warm";
    }
    for (const auto* numbers : {&parameters.own, &parameters.faults}) {
        for (const auto& [name, number] : *numbers) {
            text += ", " + name + " " + std::to_string(number);
        }
    }
    return text;
}

std::string scope_of(const Job& job) {
    std::string text = scope_of(*job.system, job.scenario, job.runner->world());
    const Vocabulary& words = job.system->vocabulary;
    const auto fitting = with_times_that_fit(words, job.scenario);
    const auto* const scenario = std::get_if<Scenario>(&fitting);
    if (scenario != nullptr && words.limits_of_time) {
        text += ", " + words.limits_of_time(*scenario);
    }
    if (scenario != nullptr && scenario->parameters.time_unit > 1) {
        text += ", time in units of " + std::to_string(scenario->parameters.time_unit);
    }
    return text;
}

}  // namespace lockkeeper
