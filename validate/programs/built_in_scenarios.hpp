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

enum class BuiltInLevel : std::uint8_t { kAny, kStepped, kBlackBox };
enum class Places : std::uint8_t { kAny, kOne, kSeveral };  // of the locks that it is for

struct BuiltInScenario {
    const char* name;
    BuiltInLevel level;
    Places places;
    bool of_leases;  // for locks whose grants have an end
    bool renews;
    const char* text;
    // Of the default set only where each caller has a process: else the lock is killed with them.
    bool kills_one = false;
};

[[nodiscard]] std::span<const BuiltInScenario> built_in_scenarios();
// Lease scenarios have one text for each level. Without a level: any of them.
[[nodiscard]] const BuiltInScenario* built_in_named(const std::string& name,
                                                    std::optional<BuiltInLevel> level = {});
[[nodiscard]] constexpr BuiltInLevel built_in_level(bool is_stepped) {
    return is_stepped ? BuiltInLevel::kStepped : BuiltInLevel::kBlackBox;
}

// The parameter of a scenario: how long a tick of its clock is for the program
// (docs/reference/protocol.md).
inline constexpr std::string_view kTickName = "tick";
inline constexpr std::int64_t kTickWidthMax = kOwnNumberMax;
// At the black-box level the scenarios of leases sleep, for leases of up to so many milliseconds.
inline constexpr std::int64_t kBlackBoxLeaseMost = 2'000;
// What a program that asks for a `ttl` is given, in milliseconds, or in ticks.
inline constexpr std::int32_t kBlackBoxLease = 100;
inline constexpr std::int32_t kSteppedLease = 2;
// The scenario `built_in` for grants of this length: ticks are so long that they end after a few;
// sleeps, which are counted in quarters of a lease, are made milliseconds.
void fit_to_lease(const BuiltInScenario& built_in, std::int64_t lease_time, Scenario& scenario);

}  // namespace lockkeeper
