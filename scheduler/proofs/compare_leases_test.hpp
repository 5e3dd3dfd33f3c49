// SPDX-License-Identifier: Apache-2.0

// A lease system with any number of callers: what is proved of it by record against what the system
// itself shows, with one, two and three callers.
#pragma once

#include <iostream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "scheduler/proofs/known_locks_test.hpp"
#include "scheduler/proofs/leases_test.hpp"
#include "scheduler/proofs/proof_scopes_test.hpp"

namespace lockkeeper::testing_proofs {

template <class Lease>
const std::vector<const Property*>& checked_of() {
    static const std::vector<const Property*> kAll =
        provable(leases::LeaseByRecord<Lease>::kFeatures);
    return kAll;
}

template <class Lease>
proofs::ReplicatedWorld taken_apart(const ScopeOf<Lease>& scope) {
    using Lock = leases::LeaseByRecord<Lease>;
    const auto part = [&](const WorldConfig& config) {
        ScopeOf<Lease> some{scope.options, with_kinds_in_operations(config)};
        some.options.clients.clear();
        for (const CallerConfig& caller : config.callers) {
            const std::size_t kind =
                std::min<std::size_t>(caller.group, scope.world.callers.size() - 1);
            some.options.clients.push_back(scope.options.clients[kind]);
        }
        return ErasedSystem(World<Lock>(Lock(some.options, some.world), some.world));
    };
    proofs::ReplicatedWorld apart(part(proofs::world_to_take_apart(scope.world)),
                                  part(proofs::one_of_each(scope.world)),
                                  part(proofs::one_is_absent(scope.world)));
    apart.shows_only(Lock::kFeatures);
    return apart;
}

// The system where time stops at every instant, not only where something changes: a timer that
// begins in between ends at other instants.
template <class Lease>
struct StopsEverywhere : Lease {
    using Lease::Lease;
    using Shared = typename Lease::Shared;
    using Record = typename Lease::Record;
    void background(const Shared& shared, Records<const Record> records, ActionList& out) const {
        typename StopsEverywhere::Agenda agenda(shared.now);
        this->collect(shared, records, agenda, out);
        agenda.next.at(shared.now + 1);
        agenda.offer(out, this->end_of_time(shared));
    }
};

// The result: the names of all properties that are violated.
struct Found {
    std::set<std::string> violated;
    bool complete = false;
};
template <class Lock>
ExploreResult explore_all(const Lock& lock, const WorldConfig& world,
                          const ExploreOptions& options) {
    return make_erased_runner(ErasedSystem(World<Lock>(lock, world)), MakeWalker(), world,
                              Lock::kFeatures)
        ->explore(options);
}
template <class Lease, class Lock>
Found explored(const Lock& lock, const WorldConfig& world, Reduction reduction) {
    ExploreOptions options;
    options.check = checked_of<Lease>();
    options.counting = Counting::kOff;
    options.reduction = reduction;
    options.states_max = 20'000;
    const ExploreResult result = explore_all(lock, world, options);
    Found found;
    for (const auto& violation : result.violations) {
        found.violated.emplace(violation.property->name);
    }
    found.complete = result.complete;
    return found;
}

inline std::vector<std::vector<std::size_t>> counts_up_to(std::size_t kinds, std::size_t most) {
    if (kinds == 1) {
        return most < 3 ? std::vector<std::vector<std::size_t>>{{1}, {2}}
                        : std::vector<std::vector<std::size_t>>{{1}, {2}, {3}};
    }
    return most < 3 ? std::vector<std::vector<std::size_t>>{{1, 1}}
                    : std::vector<std::vector<std::size_t>>{{1, 1}, {1, 2}, {2, 1}};
}

struct LeaseTally {
    int proved = 0;
    int undecided = 0;
    int compared = 0;
    int as_shipped = 0;  // where time stops only where something changes, too
    int too_large = 0;
    std::map<std::size_t, int> least;
};

inline std::string names_of(const std::set<std::string>& all) {
    std::string text;
    for (const std::string& name : all) {
        text += " " + name;
    }
    return text;
}

// "": what is explored of both is the same, and what is proved is not contradicted.
template <class Lease>
std::string compare_scope(const ScopeOf<Lease>& scope, std::size_t callers, LeaseTally& tally) {
    using Lock = leases::LeaseByRecord<Lease>;
    constexpr Reduction kReduction = kTraitsOf<Lease>.faults_left
                                         ? Reduction::kFaultsLeftAndRelativeTime
                                         : Reduction::kRelativeTime;
    std::size_t least = 0;
    for (const auto& counts : counts_up_to(scope.world.callers.size(), callers)) {
        const ScopeOf<Lease> many = with_callers(scope, counts);
        const Found shipped = explored<Lease>(Lease(many.options), many.world, kReduction);
        const Found everywhere =
            explored<Lease>(StopsEverywhere<Lease>(many.options), many.world, kReduction);
        const WorldConfig kinds = with_kinds_in_operations(many.world);
        const Found by_record = explored<Lease>(Lock(many.options, kinds), kinds, Reduction::kNone);
        const std::size_t sum = counts[0] + (counts.size() > 1 ? counts[1] : 0);
        const bool is_among = std::includes(by_record.violated.begin(), by_record.violated.end(),
                                            shipped.violated.begin(), shipped.violated.end());
        if (!shipped.complete || !everywhere.complete || !by_record.complete) {
            ++tally.too_large;
        } else if (everywhere.violated != by_record.violated || !is_among) {
            return std::to_string(sum) + " callers, shipped:" + names_of(shipped.violated) +
                   "; where time stops everywhere:" + names_of(everywhere.violated) +
                   "; by record:" + names_of(by_record.violated);
        } else {
            ++tally.compared;
            tally.as_shipped += shipped.violated == by_record.violated ? 1 : 0;
        }
        least = least == 0 && !everywhere.violated.empty() ? sum : least;
    }
    ++tally.least[least];
    const proofs::ReplicatedWorld apart = taken_apart(scope);
    const proofs::ProofAttempt made = proofs::prove(
        apart, {.check = checked_of<Lease>(), .markings_max = 20'000, .seconds_max = 20});
    if (!made.certificate) {
        tally.undecided += least == 0 ? 1 : 0;
        if (least == 0) {
            std::cout << made.why_not << "\n";
        }
        return "";
    }
    ++tally.proved;
    if (const std::string why = proofs::why_refused(*made.certificate, apart); !why.empty()) {
        return "its certificate is refused: " + why;
    }
    return least == 0 ? "" : "proved, and violated by " + std::to_string(least);
}

// `draw(seed)`: a scope.
template <class Draw>
void compare_leases(Draw draw, std::uint32_t first, std::uint32_t count, std::size_t callers) {
    LeaseTally tally;
    for (std::uint32_t seed = first; seed < first + count; ++seed) {
        ASSERT_EQ(compare_scope(draw(seed), callers, tally), "") << "seed " << seed;
    }
    std::cout << tally.proved << " proved, " << tally.undecided << " undecided; " << tally.compared
              << " explored alike, " << tally.as_shipped << " of them as shipped, "
              << tally.too_large << " too large; least:";
    for (const auto& [least, times] : tally.least) {
        std::cout << " " << least << ": " << times;
    }
    std::cout << "\n";
    EXPECT_GT(tally.proved, 0);
    EXPECT_GT(tally.compared, 0);
}

}  // namespace lockkeeper::testing_proofs
