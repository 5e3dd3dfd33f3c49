// SPDX-License-Identifier: Apache-2.0

// The numbers of a scenario that have a name for --set, with the values that they have. For whoever
// offers them to a person, and for messages about names that are none (vary.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/registry/registry.hpp"

namespace lockkeeper {

struct SettableNumber {
    std::string name;                   // "max_per", "faults:lost_answers"
    std::optional<std::int64_t> value;  // nothing: several, or none
    std::int64_t least = 0;
    std::int64_t most = 0;
    std::string about;
};
[[nodiscard]] std::vector<SettableNumber> settable_numbers(const Registry& registry,
                                                           const Scenario& scenario);

// The entries of "callers": "worker" of worker1, worker2, the whole name of a caller without others
// in its entry; and the index of the first caller.
[[nodiscard]] std::vector<std::pair<std::string, std::size_t>> entries_of(const WorldConfig& world);

}  // namespace lockkeeper
