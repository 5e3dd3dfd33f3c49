// SPDX-License-Identifier: Apache-2.0

// The variants of a lock: as it is, with repairs, which a scenario asks for by name, and with
// planted bugs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/world_config.hpp"
#include "scenarios/registry/registry.hpp"
#include "scenarios/scenario.hpp"

namespace lockkeeper {

struct NamedRepair {
    const char* name;
    std::uint16_t bit;
};

[[nodiscard]] inline std::vector<std::string> names_of(std::span<const NamedRepair> known) {
    std::vector<std::string> names;
    for (const NamedRepair& repair : known) {
        names.emplace_back(repair.name);
    }
    return names;
}

// The words of a system that has one place of each key, and nothing that only the canal lock and
// its predecessor have.
[[nodiscard]] inline Vocabulary of_one_place(Vocabulary words) {
    words.format_keys.emplace();
    return words;
}

[[nodiscard]] inline SystemDescription repaired(
    SystemDescription faithful, std::span<const NamedRepair> repairs,
    const char* about = "the same with what the faithful one lacks") {
    faithful.variant = "repaired";
    faithful.about = about;
    faithful.vocabulary.repairs = names_of(repairs);
    return faithful;
}

// `bug`: a PlantedBug (impl/planted_bug.hpp), planted in this lock.
template <class PlantedBug>
[[nodiscard]] SystemDescription with_bug(SystemDescription lock, const char* system,
                                         const PlantedBug& bug) {
    lock.system = system;
    lock.variant = bug.variant;
    lock.about = bug.about;
    lock.must_fail = bug.must_fail;
    return lock;
}

// The repairs that are on in a scenario that is understood (Registry::understand). Bits: wide
// enough for the repairs of the system.
template <class Bits>
[[nodiscard]] Bits repairs_of(const Scenario& scenario, std::span<const NamedRepair> known) {
    Bits bits = 0;
    const auto& on = scenario.parameters.repairs_on;
    for (const NamedRepair& repair : known) {
        const bool is_on = std::find(on.begin(), on.end(), repair.name) != on.end();
        bits = static_cast<Bits>(bits | (is_on ? repair.bit : 0));
    }
    return bits;
}

// Whether the table names each of the bits.
template <std::size_t Repairs>
[[nodiscard]] constexpr bool names_all(const NamedRepair (&known)[Repairs], std::uint32_t all) {
    std::uint32_t bits = 0;
    for (const NamedRepair& repair : known) {
        bits |= repair.bit;
    }
    return bits == all;
}

// Asks what the scripts of a scenario use, where that decides how a system is made.

template <class IsSought>
[[nodiscard]] bool some_operation(const WorldConfig& world, IsSought is_sought) {
    return std::any_of(world.callers.begin(), world.callers.end(), [&](const CallerConfig& caller) {
        return std::any_of(caller.script.begin(), caller.script.end(), is_sought);
    });
}
// `call`: a word of the system's own.
template <class Call>
[[nodiscard]] bool somebody_calls(const WorldConfig& world, Call call) {
    return some_operation(world, [&](const Operation& one) {
        return one.verb == Verb::kCall && one.word == static_cast<std::uint8_t>(call);
    });
}
[[nodiscard]] inline bool somebody_goes_on_until_acquired(const WorldConfig& world) {
    return some_operation(world, [](const Operation& one) { return one.until_acquired; });
}

}  // namespace lockkeeper
