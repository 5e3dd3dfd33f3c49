// SPDX-License-Identifier: Apache-2.0

// P8 (foreign-reference).
#pragma once

#include "properties/rule.hpp"

namespace lockkeeper::properties {

constexpr Property foreign_reference() {
    return {
        .number = 8,
        .name = "foreign-reference",
        .definition =
            "At rest, the manager has more references to a caller than the caller holds locks: its "
            "death would free somebody else's.",
        .example =
            "An `unlock` leaves the reference in place. When the caller dies later, the manager "
            "releases a lock that the caller no longer holds.",
        .kind = PropertyKind::kAtQuiescence,
        .severity = Severity::kError,
        .needs = kShowsReferences,
        .holds_not =
            [](const Observation& seen, const Event&) {
                return any_reference(seen, [](std::uint32_t references, std::uint32_t believed) {
                    return references > believed;
                });
            },
    };
}

}  // namespace lockkeeper::properties
