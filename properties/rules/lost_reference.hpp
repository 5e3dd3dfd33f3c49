// SPDX-License-Identifier: Apache-2.0

// P7 (lost-reference).
#pragma once

#include "properties/rule.hpp"

namespace lockkeeper::properties {

constexpr Property lost_reference() {
    return {
        .number = 7,
        .name = "lost-reference",
        .definition =
            "At rest, the manager has fewer references to a live caller than the caller holds "
            "locks: its death would not free them all.",
        .example =
            "A manager monitors each caller once, however many locks it holds. When the caller "
            "dies, one lock comes back and the others never do.",
        .kind = PropertyKind::kAtQuiescence,
        .severity = Severity::kError,
        .needs = kShowsReferences,
        .holds_not =
            [](const Observation& seen, const Event&) {
                return any_reference(seen, [](std::uint32_t references, std::uint32_t believed) {
                    return references < believed;
                });
            },
    };
}

}  // namespace lockkeeper::properties
