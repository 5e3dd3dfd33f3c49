// SPDX-License-Identifier: Apache-2.0

// Why a scope passes, in a form that anybody can check by taking the steps of the implementation:
// all states that can be reached, which no step leaves (check_closed_states.hpp). Written without
// symmetry, so that nobody has to believe that callers may change names. Published schema:
// reports/schema/closed_states.schema.json.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/erased_system.hpp"
#include "model/property.hpp"

namespace lockkeeper::proofs {

struct ClosedStates {
    static constexpr int kVersion = 1;
    static constexpr const char* kSchema = "closed_states.schema.json";
    static constexpr const char* kKind = "closed states";
    static constexpr std::size_t kStatesMax = 200'000;

    std::string scenario;             // what it is a proof of; who writes it says how
    std::vector<std::string> proved;  // names of properties
    // A state is its parts, one behind the other; each has so many bytes.
    std::vector<std::size_t> widths;
    std::vector<std::string> states;  // their bytes, ascending
};

// True for properties that single states and steps show. A deadlock is one: no state is accepted
// in which nobody can go on. Livelock is not; goals are judged apart.
[[nodiscard]] inline bool is_seen_in_states(const Property& property) {
    return property.is(PropertyNumber::kDeadlock) ||
           (property.holds_not != nullptr && (property.kind == PropertyKind::kAlways ||
                                              property.kind == PropertyKind::kAtQuiescence));
}

// The callers' slots, one each, and the rest.
[[nodiscard]] std::vector<std::size_t> widths_of(const ErasedSystem& system);

// Each part once, and each state as the numbers of its parts.
[[nodiscard]] std::string to_text(const ClosedStates& closed);

}  // namespace lockkeeper::proofs
