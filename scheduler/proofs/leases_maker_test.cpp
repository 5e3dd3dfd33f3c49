// SPDX-License-Identifier: Apache-2.0

// Makes the scopes of leases_test.hpp.
#include <algorithm>
#include <random>

#include "scheduler/proofs/leases_test.hpp"

namespace lockkeeper::testing_proofs {

using leases::LeaseCoordinatorCall;

LeaseScope leases_with_clocks(const std::vector<std::int32_t>& clocks,
                              const std::vector<LeaseCoordinatorCall>& calls) {
    LeaseScope scope = scope_with_clocks<leases::LeaseCoordinator>(clocks, calls);
    scope.options.namespaces = {{}};
    for (CallerConfig& caller : scope.world.callers) {
        for (Operation& operation : caller.script) {
            const bool fails =
                operation.verb == Verb::kCall &&
                operation.word == static_cast<std::uint8_t>(LeaseCoordinatorCall::kReleaseFail);
            operation.gives_up = operation.gives_up || fails;
        }
    }
    return scope;
}

LeaseScope random_leases(std::uint32_t seed) {
    std::mt19937 random(seed);
    const auto below = [&](unsigned most) { return static_cast<std::int32_t>(random() % most); };
    std::vector<std::int32_t> clocks{below(3) - 1};
    if (below(3) == 0) {
        clocks.push_back(clocks[0] + 1 + below(2));
    }
    std::vector<LeaseCoordinatorCall> calls;
    for (std::int32_t i = below(3); i > 0; --i) {
        calls.push_back(below(2) == 0 ? LeaseCoordinatorCall::kWrite
                                      : LeaseCoordinatorCall::kHeartbeat);
    }
    LeaseScope scope = leases_with_clocks(clocks, calls);
    leases::LeaseCoordinatorOptions& options = scope.options;
    options.ttl = 3 + below(4);
    options.grace = std::min(below(5), options.ttl - 1);
    options.pause = below(3) == 0 ? below(3) : 0;
    options.delay = below(3) == 0 ? 1 : 0;
    options.reaper = below(3);
    options.reaps = below(8) != 0;
    options.is_reaped = options.reaps || below(2) == 0;
    options.transaction = below(3);
    const bool may_be_module = options.ttl / 3 > options.delay * 2;
    options.module = may_be_module && below(3) == 0;
    for (const unsigned repair :
         {leases::kCoCheckedRelease, leases::kCoCleanUp, leases::kCoGuardedWrites,
          leases::kCoTombstones, leases::kCoAppliedOnce, leases::kCoGrowingTokens}) {
        options.repairs |= static_cast<std::uint16_t>(below(2) == 0 ? repair : 0U);
    }
    if ((options.repairs & leases::kCoGuardedWrites) != 0 && below(2) == 0) {
        options.repairs |= leases::kCoFencing;
    }
    options.until = 3 * options.ttl + options.reaper + 6;
    scope.world.crashes_max = below(2) == 0 ? 1 : 0;
    return scope;
}

}  // namespace lockkeeper::testing_proofs
