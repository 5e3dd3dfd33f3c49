// SPDX-License-Identifier: Apache-2.0
#include "validate/programs/built_in_scenarios.hpp"

#include <algorithm>
#include <array>

namespace lockkeeper {
namespace {

constexpr BuiltInScenario of_pools(const char* name, Places places, const char* text) {
    return {name, BuiltInLevel::kTasks, places, false, false, text, false, true};
}

constexpr std::array kBuiltIns{
    BuiltInScenario{"built-in:two-callers", BuiltInLevel::kAny, Places::kAny, false, false,
                    R"({"version": 1, "system": "program",
        "about": "Two callers share one place, twice each.",
        "callers": [{"name": "A", "count": 2, "repeat": 2, "script": [
            {"acquire": {"key": "db", "max_per": 1, "buckets": 1}}, {"release": {"key": "db"}}]}]})"},
    BuiltInScenario{"built-in:three-callers", BuiltInLevel::kAny, Places::kSeveral, false, false,
                    R"({"version": 1, "system": "program",
        "about": "Three callers share two places.",
        "callers": [{"name": "A", "count": 3, "script": [
            {"acquire": {"key": "db", "max_per": 1, "buckets": 2}}, {"release": {"key": "db"}}]}]})"},
    BuiltInScenario{"built-in:three-callers-one-place", BuiltInLevel::kAny, Places::kOne, false,
                    false,
                    R"({"version": 1, "system": "program",
        "about": "Three callers share one place.",
        "callers": [{"name": "A", "count": 3, "script": [
            {"acquire": {"key": "db", "max_per": 1, "buckets": 1}}, {"release": {"key": "db"}}]}]})"},
    BuiltInScenario{"built-in:lease-expiry", BuiltInLevel::kStepped, Places::kAny, true, false,
                    R"({"version": 1, "system": "program",
        "about": "A holds longer than its time, B takes over, A releases and acquires again.",
        "parameters": {"ttl": 2}, "faults": {"ticks": 3},
        "callers": [{"name": "A", "repeat": 2, "script": [
            {"acquire": {"key": "db"}}, {"release": {"key": "db"}}]},
            {"name": "B", "script": [{"acquire": {"key": "db"}}, {"release": {"key": "db"}}]}]})"},
    BuiltInScenario{"built-in:lease-renewal", BuiltInLevel::kStepped, Places::kAny, true, true,
                    R"({"version": 1, "system": "program",
        "about": "A renews, in time or late; B acquires whenever it can.",
        "parameters": {"ttl": 2}, "faults": {"ticks": 3},
        "callers": [{"name": "A", "script": [{"acquire": {"key": "db"}},
            {"call": {"what": "renew", "key": "db"}}, {"release": {"key": "db"}}]},
            {"name": "B", "repeat": 2, "script": [
            {"acquire": {"key": "db"}}, {"release": {"key": "db"}}]}]})"},
    BuiltInScenario{"built-in:lease-pause", BuiltInLevel::kStepped, Places::kAny, true, false,
                    R"({"version": 1, "system": "program",
        "about": "A pauses for longer than its time while it holds; B and C take over.",
        "parameters": {"ttl": 2}, "faults": {"ticks": 2},
        "callers": [{"name": "A", "script": [{"acquire": {"key": "db"}}, {"sleep": {"time": 3}},
            {"release": {"key": "db"}}]},
            {"name": "B", "script": [{"acquire": {"key": "db"}}, {"release": {"key": "db"}}]},
            {"name": "C", "script": [{"acquire": {"key": "db"}}]}]})"},
    BuiltInScenario{"built-in:lease-crash", BuiltInLevel::kStepped, Places::kAny, true, false,
                    R"({"version": 1, "system": "program",
        "about": "A caller may die at any step; when its time is over the other acquires.",
        "parameters": {"ttl": 2}, "faults": {"crashes": 1, "ticks": 2},
        "callers": [{"name": "A", "count": 2, "script": [
            {"acquire": {"key": "db"}}, {"release": {"key": "db"}}]}]})"},
    BuiltInScenario{"built-in:three-tasks", BuiltInLevel::kTasks, Places::kAny, false, false,
                    R"({"version": 1, "system": "program",
        "about": "Three tasks share one place; one call may be cancelled, one timer may come early.",
        "faults": {"cancels": 1, "ticks": 1},
        "callers": [{"name": "A", "count": 3, "script": [
            {"acquire": {"key": "db", "max_per": 1, "buckets": 1}}, {"release": {"key": "db"}}]}]})"},
    BuiltInScenario{"built-in:two-tasks", BuiltInLevel::kTasks, Places::kAny, false, false,
                    R"({"version": 1, "system": "program",
        "about": "Two tasks share one place, twice each: who releases may ask again at once, before a waiter that was told.",
        "limits": {"schedules": 2000},
        "callers": [{"name": "A", "count": 2, "repeat": 2, "script": [
            {"acquire": {"key": "db", "max_per": 1, "buckets": 1}}, {"release": {"key": "db"}}]}]})"},
    of_pools("built-in:pool", Places::kOne,
             R"({"version": 1, "system": "program",
        "about": "A has the only connection and gives it back, B waits; one call may be cancelled, one time-out may come early.",
        "faults": {"cancels": 1, "ticks": 1},
        "callers": [{"name": "A", "count": 2, "script": [
            {"acquire": {"key": "db", "max_per": 1, "buckets": 1}}, {"release": {"key": "db"}}]}]})"),
    of_pools("built-in:pool-broken", Places::kOne,
             R"({"version": 1, "system": "program",
        "about": "Two ask for the only connection; one may fail to open, one time-out may come early.",
        "faults": {"failures": 1, "ticks": 1},
        "callers": [{"name": "A", "count": 2, "script": [
            {"acquire": {"key": "db", "max_per": 1, "buckets": 1}}, {"release": {"key": "db"}}]}]})"),
    of_pools("built-in:pool-destroyed", Places::kOne,
             R"({"version": 1, "system": "program",
        "about": "D destroys the only connection instead of giving it back, B waits.",
        "faults": {"ticks": 1},
        "callers": [{"name": "D", "script": [
            {"acquire": {"key": "db", "max_per": 1, "buckets": 1}}, {"release": {"key": "db"}}]},
            {"name": "B", "script": [
            {"acquire": {"key": "db", "max_per": 1, "buckets": 1}}, {"release": {"key": "db"}}]}]})"),
    // Afterwards nobody gets anything, and that is right: the other properties do not ask.
    of_pools("built-in:pool-closed", Places::kOne,
             R"({"version": 1, "system": "program",
        "about": "A has the only connection, keeps it, and closes the pool while B waits. Is B told?",
        "check": ["over-allocation", "deadlock"],
        "callers": [{"name": "A", "script": [
            {"acquire": {"key": "db", "max_per": 1, "buckets": 1}},
            {"call": {"what": "close", "key": "db"}}]},
            {"name": "B", "script": [
            {"acquire": {"key": "db", "max_per": 1, "buckets": 1}}, {"release": {"key": "db"}}]}]})"),
    // A and B come before the others, one after the other: four callers that begin as they like
    // have many times the runs, and the last place is the one of which there is something to ask.
    of_pools("built-in:pool-of-three", Places::kSeveral,
             R"({"version": 1, "system": "program",
        "about": "Three connections: A and B keep theirs, then C and D take turns; D destroys its own, one call may be cancelled.",
        "faults": {"cancels": 1},
        "callers": [
            {"name": "A", "script": [{"acquire": {"key": "db", "max_per": 3, "buckets": 1}},
            {"signal": {"name": "one-has"}}]},
            {"name": "B", "script": [{"wait": {"name": "one-has"}},
            {"acquire": {"key": "db", "max_per": 3, "buckets": 1}},
            {"signal": {"name": "two-have", "amount": 2}}]},
            {"name": "C", "script": [{"wait": {"name": "two-have"}},
            {"acquire": {"key": "db", "max_per": 3, "buckets": 1}}, {"release": {"key": "db"}}]},
            {"name": "D", "script": [{"wait": {"name": "two-have"}},
            {"acquire": {"key": "db", "max_per": 3, "buckets": 1}}, {"release": {"key": "db"}}]}]})"),
    // The scenarios below sleep in real time, in quarters of a lease.
    BuiltInScenario{"built-in:lease-expiry", BuiltInLevel::kBlackBox, Places::kAny, true, false,
                    R"({"version": 1, "system": "program",
        "about": "Each holds longer than its time; another takes over, and the first releases.",
        "parameters": {"ttl": 100}, "limits": {"schedules": 4},
        "callers": [{"name": "A", "count": 2, "script": [
            {"acquire": {"key": "db", "until": "acquired"}}, {"sleep": {"time": 7}},
            {"release": {"key": "db"}}]}]})"},
    BuiltInScenario{"built-in:lease-renewal", BuiltInLevel::kBlackBox, Places::kAny, true, true,
                    R"({"version": 1, "system": "program",
        "about": "Each renews in time and then late, when another has taken over.",
        "parameters": {"ttl": 100}, "limits": {"schedules": 4},
        "callers": [{"name": "A", "count": 2, "script": [
            {"acquire": {"key": "db", "until": "acquired"}}, {"sleep": {"time": 2}},
            {"call": {"what": "renew", "key": "db"}}, {"sleep": {"time": 7}},
            {"call": {"what": "renew", "key": "db"}}, {"release": {"key": "db"}}]}]})"},
    BuiltInScenario{"built-in:lease-unreleased", BuiltInLevel::kBlackBox, Places::kAny, true, false,
                    R"({"version": 1, "system": "program",
        "about": "Who acquires never releases; when its time is over a fresh caller acquires.",
        "parameters": {"ttl": 100}, "limits": {"schedules": 4},
        "callers": [{"name": "A", "count": 2, "script": [{"acquire": {"key": "db"}}]}]})"},
    // A run is cut while a caller waits for a dead holder's lock; the look at the end judges it.
    BuiltInScenario{"built-in:lease-crash", BuiltInLevel::kBlackBox, Places::kAny, true, false,
                    R"({"version": 1, "system": "program",
        "about": "A caller is killed; when its time is over another acquires.",
        "parameters": {"ttl": 100}, "faults": {"crashes": 1},
        "limits": {"schedules": 4, "steps": 150},
        "callers": [{"name": "A", "count": 2, "script": [
            {"acquire": {"key": "db", "until": "acquired"}}, {"sleep": {"time": 2}},
            {"release": {"key": "db"}}, {"acquire": {"key": "db"}}]}]})",
                    true},
};

constexpr std::int64_t kQuarters = 4;
// After the lease, the rest of a sleep of seven quarters has to be longer than a retry takes.
constexpr std::int64_t kQuarterLeast = 15;
// For leases too long to wait for, which may end earlier than they say.
constexpr std::int64_t kOfEndlessLeases = 400;

void fit_sleeps(WorldConfig& world, std::int64_t lease_milliseconds) {
    const std::int64_t lease =
        lease_milliseconds > kBlackBoxLeaseMost ? kOfEndlessLeases : lease_milliseconds;
    const std::int64_t quarter = std::max((lease + kQuarters - 1) / kQuarters, kQuarterLeast);
    for (CallerConfig& caller : world.callers) {
        for (Operation& operation : caller.script) {
            if (operation.verb == Verb::kSleep) {
                operation.number = static_cast<std::uint16_t>(operation.number * quarter);
            }
        }
    }
}

std::int64_t tick_width_for(std::int64_t lease_time) {
    return std::clamp<std::int64_t>((lease_time + kSteppedLease - 1) / kSteppedLease, 1,
                                    kTickWidthMax);
}

}  // namespace

std::span<const BuiltInScenario> built_in_scenarios() { return kBuiltIns; }

const BuiltInScenario* built_in_named(const std::string& name, std::optional<BuiltInLevel> level) {
    const auto* found =
        std::find_if(kBuiltIns.begin(), kBuiltIns.end(), [&](const BuiltInScenario& built_in) {
            const bool fits =
                !level || built_in.level == BuiltInLevel::kAny || built_in.level == *level ||
                (built_in.level == BuiltInLevel::kTasks && *level == BuiltInLevel::kStepped);
            return name == built_in.name && fits;
        });
    return found == kBuiltIns.end() ? nullptr : found;
}

void fit_to_lease(const BuiltInScenario& built_in, std::int64_t lease_time, Scenario& scenario) {
    if (built_in.level == BuiltInLevel::kBlackBox) {
        fit_sleeps(scenario.world, lease_time);
    } else {
        scenario.parameters.own[std::string(kTickName)] =
            static_cast<std::int32_t>(tick_width_for(lease_time));
    }
}

}  // namespace lockkeeper
