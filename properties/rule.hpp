// SPDX-License-Identifier: Apache-2.0

// Helpers for the files in properties/rules/. Each of these defines one property; CMake collects
// them, so that a new file is in the catalogue without another line.
//
// A rule is true when the promise is broken. It reads the event of a step, or what a state shows,
// and nothing else.
#pragma once

#include <algorithm>
#include <vector>

#include "model/property.hpp"

namespace lockkeeper::properties {

// Returns all these properties in the order of the files' names. CMake writes the definition.
[[nodiscard]] std::vector<Property> written();

// The step showed the fact, an EventBit or a Breach.
template <auto Fact>
bool shows(const Observation&, const Event& event) {
    return event.is(Fact);
}

// Servers that are gone took their tables along: that is P11 (manager-death), and no property of
// counters or references.
template <class Test>
bool any_key(const Observation& seen, Test test) {
    return !seen.servers_gone &&
           std::any_of(seen.keys.begin(), seen.keys.begin() + seen.keys_count, test);
}

// test(references that the servers have to a caller, locks that it believes to hold).
template <class Test>
bool any_reference(const Observation& seen, Test test) {
    for (std::size_t i = 0; i < seen.callers_count && !seen.servers_gone; ++i) {
        const CallerObservation& caller = seen.callers[i];
        for (std::size_t key = 0; key < seen.keys_count; ++key) {
            if (test(caller.references[key], caller.believed[key])) {
                return true;
            }
        }
    }
    return false;
}

}  // namespace lockkeeper::properties
