// SPDX-License-Identifier: Apache-2.0

// The scenarios that `validate --program` has itself.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "scenarios/scenario.hpp"

namespace lockkeeper {

// Scenarios of tasks (--tasks) are stepped, and found by that level, too.
enum class BuiltInLevel : std::uint8_t { kAny, kStepped, kBlackBox, kTasks };
enum class Places : std::uint8_t { kAny, kOne, kSeveral };  // the places of the scenario's locks

struct BuiltInScenario {
    const char* name;
    BuiltInLevel level;
    Places places;
    bool of_leases;  // for locks whose grants have an end
    bool renews;
    const char* text;
    // In the default set only where each caller has a process: else a crash kills the lock, too.
    bool kills_one = false;
    // In no default set: for pools, whose drivers know what it asks for.
    bool is_named_only = false;
};

[[nodiscard]] std::span<const BuiltInScenario> built_in_scenarios();
// Lease scenarios have one text for each level. Without a level: the text of any level.
[[nodiscard]] const BuiltInScenario* built_in_named(const std::string& name,
                                                    std::optional<BuiltInLevel> level = {});
[[nodiscard]] constexpr BuiltInLevel built_in_level(bool is_stepped) {
    return is_stepped ? BuiltInLevel::kStepped : BuiltInLevel::kBlackBox;
}

// The scenario parameter that says how long a tick of its clock is for the program
// (docs/reference/protocol.md).
inline constexpr std::string_view kTickName = "tick";
inline constexpr std::int64_t kTickWidthMax = kOwnNumberMax;
// The longest lease, in milliseconds, for which black-box scenarios sleep until its end.
inline constexpr std::int64_t kBlackBoxLeaseMost = 2'000;
// The `ttl` for a program that asks for one, in milliseconds, or in ticks.
inline constexpr std::int32_t kBlackBoxLease = 100;
inline constexpr std::int32_t kSteppedLease = 2;
// Fits the scenario `built_in` to grants of this length. Ticks become so long that grants end after
// a few. Sleeps, counted in quarters of a lease, become milliseconds.
void fit_to_lease(const BuiltInScenario& built_in, std::int64_t lease_time, Scenario& scenario);

}  // namespace lockkeeper
