// SPDX-License-Identifier: Apache-2.0
#include "validate/programs/program_scenario.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "model/acquired_units.hpp"
#include "model/event.hpp"
#include "model/json_position.hpp"
#include "properties/catalogue.hpp"
#include "scenarios/bad_input.hpp"
#include "scenarios/outside_lock.hpp"
#include "scenarios/registry/checks.hpp"
#include "validate/programs/black_box.hpp"
#include "validate/programs/built_in_scenarios.hpp"
#include "validate/programs/stepped_run.hpp"

namespace lockkeeper {
namespace {

constexpr std::int32_t kTaskFaultsMax = 100;

std::int64_t ticks_of(const Scenario& scenario) {
    std::int64_t ticks = 0;
    for (const auto& [name, number] : scenario.parameters.faults) {
        if (name != "ticks") {
            refuse(scenario, "/faults/" + pointer_step(name),
                   "a program can meet \"crashes\" and \"ticks\"");
        }
        ticks = number;
    }
    return ticks;
}

// Callers of one process, in virtual time: what they cannot do is refused, and what may happen to
// them is counted.
void take_tasks(const Scenario& scenario, OutsideWorld& out) {
    for (const auto& [name, number] : scenario.parameters.faults) {
        std::uint32_t* const most = name == "cancels"    ? &out.cancels_max
                                    : name == "failures" ? &out.failures_max
                                                         : nullptr;
        const std::string pointer = "/faults/" + pointer_step(name);
        if (most == nullptr && name != "ticks") {
            refuse(scenario, pointer, R"(tasks can meet "cancels", "failures" and "ticks")");
        }
        if (number < 0 || number > kTaskFaultsMax) {
            refuse(scenario, pointer,
                   fmt::format("expected a number from 0 to {}, found {}", kTaskFaultsMax, number));
        }
        if (most != nullptr) {
            *most = static_cast<std::uint32_t>(number);
        } else {
            out.ticks_max = number;
        }
    }
    if (scenario.world.crashes_max > 0) {
        refuse(scenario, "/faults/crashes", "tasks of one process do not crash alone");
    }
    if (scenario.world.resizes_max() > 0) {
        refuse(scenario, "/resizes", "callers that are tasks see no resizes");
    }
    if (scenario.rate_limit.is_given()) {
        refuse(scenario, "/rate_limit", "is not judged with --tasks");
    }
    for (const CallerConfig& caller : scenario.world.callers) {
        for (const Operation& operation : caller.script) {
            if (operation.verb == Verb::kSleep || operation.verb == Verb::kExit) {
                refuse(scenario, fmt::format("/callers/{}/script", caller.group),
                       operation.verb == Verb::kExit
                           ? "\"exit\": tasks of one process do not crash alone"
                           : "\"sleep\": another task may always come first; a time-out belongs "
                             "into the driver");
            }
        }
    }
}

// Takes out the number that only the harness needs; programs do not hear of it.
std::optional<CrashTakes> take_crash_takes(std::map<std::string, std::int32_t>& parameters) {
    const auto found = parameters.find(std::string(kCrashTakesName));
    if (found == parameters.end()) {
        return std::nullopt;
    }
    const std::int32_t number = found->second;
    if (number < 0 || number >= static_cast<std::int32_t>(kCrashTakesWords.size())) {
        throw UsageError(
            fmt::format("--set: crash_takes: expected 0 (locks), 1 (callers) or 2 (nothing), found "
                        "{}",
                        number));
    }
    parameters.erase(found);
    return static_cast<CrashTakes>(number);
}

// The same for the length of a tick of the scenario, in the program's unit of time.
std::int64_t take_tick_width(std::map<std::string, std::int32_t>& parameters,
                             const Scenario& scenario) {
    const std::string name(kTickName);
    const auto found = parameters.find(name);
    if (found == parameters.end()) {
        return 1;
    }
    const std::int32_t width = found->second;
    if (width < 1) {
        const std::string message = fmt::format("expected a number from 1 on, found {}", width);
        const auto written = scenario.parameters.own.find(name);
        if (written != scenario.parameters.own.end() && written->second == width) {
            refuse(scenario, "/parameters/tick", message);
        }
        throw UsageError("--set: tick: " + message);
    }
    parameters.erase(found);
    return width;
}

// The goal shows in answers to callers, or in acts of the harness.
bool is_seen(const Property* goal) {
    constexpr std::uint32_t kSeen =
        kAcquired | kRefused | kReleased | kCrashed | kResized | kFailed | kLost | kTimePassed;
    return (goal->triggers & kSeen) != 0;
}

// Words of the protocol itself are no operations.
void refuse_reserved_words(const Scenario& scenario) {
    constexpr const char* kReserved[] = {"init",  "reset",   "crash",  "background",
                                         "error", "acquire", "release"};
    for (const std::string& word : scenario.world.words) {
        if (std::find(std::begin(kReserved), std::end(kReserved), word) != std::end(kReserved) ||
            word.ends_with("_ok")) {
            refuse(scenario, "/callers",
                   "the protocol has its own meaning for the call \"" + word + "\"");
        }
    }
}

void refuse_several(const Scenario& scenario) {
    for (const CallerConfig& caller : scenario.world.callers) {
        if (std::any_of(caller.script.begin(), caller.script.end(), takes_several)) {
            refuse(scenario, fmt::format("/callers/{}/script", caller.group), kSeveralAtTheWire);
        }
    }
}

// Some script calls acquire for a key that it may hold already.
bool acquires_again(const WorldConfig& world) {
    return std::any_of(world.callers.begin(), world.callers.end(), [](const CallerConfig& caller) {
        std::map<std::uint8_t, int> held;
        bool again = false;
        for (int round = 0; round <= (caller.repeats_forever ? 1 : 0); ++round) {
            for (const Operation& operation : caller.script) {
                int& count = held[operation.key];
                again = again || (operation.verb == Verb::kAcquire && count > 0);
                count += operation.verb == Verb::kAcquire ? 1 : 0;
                count -= operation.verb == Verb::kRelease && count > 0 ? 1 : 0;
            }
        }
        return again;
    });
}

// The property makes sense for limiters, whose grants nobody holds.
bool is_of_limiters(const Property& property) {
    return (property.needs & kBoundsRate) != 0 || property.is(PropertyNumber::kDeadlock) ||
           property.is(PropertyNumber::kCallerDeath) || property.number > kNeverNumbers;
}

void refuse_of_locks(const Scenario& scenario, bool is_of_flag) {
    for (std::size_t i = 0; i < scenario.check.size(); ++i) {
        const Property* property = find_property(scenario.check[i]);
        if (property == nullptr || is_of_limiters(*property)) {
            continue;
        }
        const std::string message = "\"" + scenario.check[i] +
                                    "\" is of locks: where there is a \"rate_limit\", nobody holds "
                                    "what is granted";
        if (is_of_flag) {
            throw UsageError("--check: " + message);
        }
        refuse(scenario, "/check/" + std::to_string(i), message);
    }
}

void refuse_scripts_of_locks(const Scenario& scenario) {
    for (const CallerConfig& caller : scenario.world.callers) {
        const std::string pointer = fmt::format("/callers/{}/script", caller.group);
        for (const Operation& operation : caller.script) {
            if (operation.verb == Verb::kRelease || operation.verb == Verb::kIfHolding ||
                operation.verb == Verb::kCall) {
                refuse(scenario, pointer,
                       "where there is a \"rate_limit\", callers only acquire: nobody holds what "
                       "is granted");
            }
            if (operation.verb == Verb::kAcquire &&
                (operation.follows_resizes || operation.capacity() != 1)) {
                refuse(scenario, pointer,
                       "\"rate_limit\" says how many are granted, and an acquire names no places");
            }
            if (takes_several(operation)) {
                refuse(scenario, pointer,
                       "where there is a \"rate_limit\", an acquire asks for one of one key: "
                       "leave \"with\" and \"weight\" out");
            }
        }
    }
}

// The clock has to stop within a window, and exactly at its end.
void refuse_windows(const Scenario& scenario, std::int64_t tick, bool is_stepped) {
    if (!scenario.rate_limit.is_given()) {
        return;
    }
    if (!is_stepped) {
        refuse(
            scenario, "/rate_limit",
            "recorded runs do not judge it, because their clock cannot be held: --level stepped");
    }
    const std::int64_t within = scenario.rate_limit.within;
    if (within % tick != 0 || within < 2 * tick) {
        refuse(scenario, "/rate_limit/within",
               fmt::format("expected two ticks or more, and no part of a tick (a tick is {}), "
                           "found {}",
                           tick, within));
    }
}

}  // namespace

void take_rate_limit(const Scenario& scenario, std::int64_t units, OutsideWorld& out) {
    if (!scenario.rate_limit.is_given()) {
        return;
    }
    if (scenario.reentrant) {
        refuse(scenario, "/reentrant",
               "is of locks: where there is a \"rate_limit\", nobody holds what is granted");
    }
    refuse_scripts_of_locks(scenario);
    out.rate_limit = scenario.rate_limit;
    out.rate_limit.within *= units;
}

std::vector<const Property*> properties_of(const Scenario& scenario, bool is_of_flag,
                                           bool (*judged_here)(const Property&)) {
    const bool is_limiter = scenario.rate_limit.is_given();
    const auto asked = value_or_throw(
        scenario,
        properties_to_check(scenario, is_limiter ? UINT32_MAX : UINT32_MAX & ~kBoundsRate));
    if (is_limiter) {
        refuse_of_locks(scenario, is_of_flag);
    }
    std::vector<const Property*> judged;
    std::copy_if(asked.begin(), asked.end(), std::back_inserter(judged),
                 [&](const Property* property) {
                     return judged_here(*property) && (!is_limiter || is_of_limiters(*property));
                 });
    if (judged.empty()) {
        std::string names;
        for (const Property& property : all_properties()) {
            if (judged_here(property)) {
                names += (names.empty() ? "" : ", ") + std::string(property.name);
            }
        }
        const std::string message =
            "none of these can be judged from outside, where there are " + names;
        if (is_of_flag) {
            throw UsageError("--check: " + message);
        }
        refuse(scenario, "/check", message);
    }
    return judged;
}

void take_asked(const Scenario& scenario, bool is_of_flag, bool (*judged_here)(const Property&),
                OutsideWorld& out) {
    if (!is_of_flag && !is_outside_lock(scenario.system)) {
        return;  // the scenario is a model's, which has judged it
    }
    for (const std::string& name : scenario.check) {
        const Property* property = find_property(name);  // none: a group, as "safety"
        if (property != nullptr && judged_here(*property)) {
            out.asked.push_back(property);
        } else if (property != nullptr) {
            out.asked_elsewhere += (out.asked_elsewhere.empty() ? "P" : ", P") +
                                   std::to_string(property->number) + " " +
                                   std::string(property->name);
        }
    }
}

void take_goals(const Scenario& scenario, ProgramScenario& out) {
    for (const Property* goal : value_or_throw(scenario, goals_to_reach(scenario))) {
        (is_seen(goal) ? out.reach : out.unseen).push_back(goal);
    }
}

ProgramScenario for_program(Scenario scenario, ProgramOptions program, bool is_check_of_flag) {
    refuse_reserved_words(scenario);
    refuse_several(scenario);
    ProgramScenario out;
    const NamedNumbers& own = scenario.parameters.own;
    const auto judged_here = program.stepped ? is_judged_outside : is_judged_in_records;
    out.world = {scenario.world,
                 {own.begin(), own.end()},
                 program.is_tasks ? 0 : ticks_of(scenario),
                 properties_of(scenario, is_check_of_flag, judged_here),
                 {},
                 {},
                 std::nullopt};
    out.world.reentrant = scenario.reentrant;
    if (program.is_tasks) {
        take_tasks(scenario, out.world);
    }
    take_asked(scenario, is_check_of_flag, judged_here, out.world);
    take_goals(scenario, out);
    std::map<std::string, std::int32_t>& parameters = out.world.parameters;
    for (const auto& [name, number] : program.parameters) {
        parameters[name] = number;
    }
    std::map<std::string, std::int32_t> put = parameters;
    out.world.crash_takes = take_crash_takes(parameters);
    out.world.tick_width = take_tick_width(parameters, scenario);
    take_rate_limit(scenario, 1, out.world);
    refuse_windows(scenario, out.world.tick_width, program.stepped);
    if (out.world.tick_width == 1) {
        put.erase(std::string(kTickName));
    }
    out.scenario = std::move(scenario);
    out.scenario.parameters.own = std::move(put);
    out.program = std::move(program);
    out.program.parameters = parameters;
    out.program.keys = out.world.world.keys;
    for (const CallerConfig& caller : out.world.world.callers) {
        out.program.callers.push_back(caller.name);
    }
    return out;
}

std::optional<std::uint32_t> places_asked_for(const WorldConfig& world) {
    std::optional<std::uint32_t> places;
    for (const CallerConfig& caller : world.callers) {
        for (const Operation& operation : caller.script) {
            if (operation.verb != Verb::kAcquire) {
                continue;
            }
            if (operation.follows_resizes || (places && *places != operation.capacity())) {
                return std::nullopt;
            }
            places = operation.capacity();
        }
    }
    return places.value_or(1);
}

std::string model_of(const ProgramScenario& job) {
    const auto ttl = job.world.parameters.find("ttl");
    if (ttl != job.world.parameters.end()) {
        if (ttl->second * kNanosecondsPerMillisecond <= kUntilError) {
            refuse(job.scenario, "/parameters/ttl",
                   fmt::format("at the black-box level a ttl is so many milliseconds of a real "
                               "clock that is {} ms uncertain: give more, such as --set ttl=100",
                               kUntilError / kNanosecondsPerMillisecond));
        }
        return fmt::format("lease:ttl={},error={}", ttl->second * kNanosecondsPerMillisecond,
                           kUntilError);
    }
    const std::optional<std::uint32_t> places = places_asked_for(job.world.world);
    if (!places) {
        return "resizable-semaphore";
    }
    if (*places != 1) {
        return "semaphore:" + std::to_string(*places);
    }
    // Undeclared, nobody knows whether a caller may be granted its own lock again.
    return job.world.reentrant.value_or(acquires_again(job.world.world)) ? "reentrant-mutex"
                                                                         : "mutex";
}

}  // namespace lockkeeper
