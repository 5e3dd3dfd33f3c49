#include "app/built_in_scenarios.hpp"

#include <algorithm>
#include <array>

namespace lockkeeper {
namespace {

constexpr std::array kBuiltIns{
    BuiltInScenario{"built-in:two-callers", Places::kAny, false, false,
                    R"({"version": 1, "system": "program",
        "about": "Two callers share one place, twice each.",
        "callers": [{"name": "A", "count": 2, "repeat": 2, "script": [
            {"acquire": {"key": "db", "max_per": 1, "buckets": 1}}, {"release": {"key": "db"}}]}]})"},
    BuiltInScenario{"built-in:three-callers", Places::kSeveral, false, false,
                    R"({"version": 1, "system": "program",
        "about": "Three callers share two places.",
        "callers": [{"name": "A", "count": 3, "script": [
            {"acquire": {"key": "db", "max_per": 1, "buckets": 2}}, {"release": {"key": "db"}}]}]})"},
    BuiltInScenario{"built-in:three-callers-one-place", Places::kOne, false, false,
                    R"({"version": 1, "system": "program",
        "about": "Three callers share one place.",
        "callers": [{"name": "A", "count": 3, "script": [
            {"acquire": {"key": "db", "max_per": 1, "buckets": 1}}, {"release": {"key": "db"}}]}]})"},
    BuiltInScenario{"built-in:lease-expiry", Places::kAny, true, false,
                    R"({"version": 1, "system": "program",
        "about": "A holds longer than its time, B takes over, A releases and acquires again.",
        "parameters": {"ttl": 2}, "faults": {"ticks": 3},
        "callers": [{"name": "A", "repeat": 2, "script": [
            {"acquire": {"key": "db"}}, {"release": {"key": "db"}}]},
            {"name": "B", "script": [{"acquire": {"key": "db"}}, {"release": {"key": "db"}}]}]})"},
    BuiltInScenario{"built-in:lease-renewal", Places::kAny, true, true,
                    R"({"version": 1, "system": "program",
        "about": "A renews, in time or late; B acquires whenever it can.",
        "parameters": {"ttl": 2}, "faults": {"ticks": 3},
        "callers": [{"name": "A", "script": [{"acquire": {"key": "db"}},
            {"call": {"what": "renew", "key": "db"}}, {"release": {"key": "db"}}]},
            {"name": "B", "repeat": 2, "script": [
            {"acquire": {"key": "db"}}, {"release": {"key": "db"}}]}]})"},
    BuiltInScenario{"built-in:lease-pause", Places::kAny, true, false,
                    R"({"version": 1, "system": "program",
        "about": "A pauses for longer than its time while it holds; B and C take over.",
        "parameters": {"ttl": 2}, "faults": {"ticks": 2},
        "callers": [{"name": "A", "script": [{"acquire": {"key": "db"}}, {"sleep": {"time": 3}},
            {"release": {"key": "db"}}]},
            {"name": "B", "script": [{"acquire": {"key": "db"}}, {"release": {"key": "db"}}]},
            {"name": "C", "script": [{"acquire": {"key": "db"}}]}]})"},
    BuiltInScenario{"built-in:lease-crash", Places::kAny, true, false,
                    R"({"version": 1, "system": "program",
        "about": "A caller may die at any step; when its time is over the other acquires.",
        "parameters": {"ttl": 2}, "faults": {"crashes": 1, "ticks": 2},
        "callers": [{"name": "A", "count": 2, "script": [
            {"acquire": {"key": "db"}}, {"release": {"key": "db"}}]}]})"},
};

// The grants of the scenarios above last so long.
constexpr std::int64_t kBuiltInLease = 2;

}  // namespace

std::span<const BuiltInScenario> built_in_scenarios() { return kBuiltIns; }

const BuiltInScenario* built_in_named(const std::string& name) {
    const auto* found =
        std::find_if(kBuiltIns.begin(), kBuiltIns.end(),
                     [&](const BuiltInScenario& built_in) { return name == built_in.name; });
    return found == kBuiltIns.end() ? nullptr : found;
}

std::int64_t tick_width_for(std::int64_t lease_time) {
    return std::clamp<std::int64_t>((lease_time + kBuiltInLease - 1) / kBuiltInLease, 1,
                                    kTickWidthMax);
}

}  // namespace lockkeeper
