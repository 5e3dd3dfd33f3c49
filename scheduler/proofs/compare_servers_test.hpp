// SPDX-License-Identifier: Apache-2.0

// Locks of databases with any number of callers: what is proved of them by record against what the
// system itself shows, with one, two and three callers.
#pragma once

#include <iostream>
#include <string>
#include <vector>

#include "model/slow_build_test.hpp"
#include "scheduler/proofs/compare_leases_test.hpp"

namespace lockkeeper::testing_proofs {

template <class LockOptions>
struct ServerScope {
    LockOptions options;  // a client for each caller of the world
    WorldConfig world;    // one caller of each kind
};

// Adds a kind of callers: acquire, what `between` says, release.
template <class Scope, class Client>
void add_kind(Scope& scope, const Client& client, const std::vector<Operation>& between) {
    CallerConfig caller;
    const std::size_t kind = scope.world.callers.size();
    caller.name = std::string(1, static_cast<char>('A' + kind));
    caller.group = static_cast<std::uint8_t>(kind);
    caller.settings["kind"] = static_cast<std::int32_t>(kind);
    caller.script = {Operation{.verb = Verb::kAcquire}};
    caller.script.insert(caller.script.end(), between.begin(), between.end());
    caller.script.push_back({.verb = Verb::kRelease});
    scope.world.callers.push_back(caller);
    scope.options.clients.push_back(client);
}

// The scope with the callers of another world, each with the client of its kind.
template <class Scope>
Scope with_world(const Scope& scope, WorldConfig world) {
    Scope made{scope.options, std::move(world)};
    made.options.clients.clear();
    for (const CallerConfig& caller : made.world.callers) {
        const std::size_t kind =
            std::min<std::size_t>(caller.group, scope.world.callers.size() - 1);
        made.options.clients.push_back(scope.options.clients[kind]);
    }
    return made;
}
template <class Scope>
Scope with_so_many(const Scope& scope, const std::vector<std::size_t>& counts) {
    return with_world(scope, proofs::looping_world(scope.world, counts, false));
}

template <class ByRecord, class Scope>
proofs::ReplicatedWorld server_taken_apart(const Scope& scope) {
    const auto part = [&](const WorldConfig& config) {
        const Scope some = with_world(scope, with_kinds_in_operations(config));
        return ErasedSystem(World<ByRecord>(ByRecord(some.options, some.world), some.world));
    };
    proofs::ReplicatedWorld apart(part(proofs::world_to_take_apart(scope.world)),
                                  part(proofs::one_of_each(scope.world)),
                                  part(proofs::one_is_absent(scope.world)));
    apart.shows_only(ByRecord::kFeatures);
    return apart;
}

template <class ByRecord>
const std::vector<const Property*>& shown_by() {
    static const std::vector<const Property*> kAll = provable(ByRecord::kFeatures);
    return kAll;
}

struct FoundOfServer : Found {
    std::set<std::string> reached;  // goals
};
template <class ByRecord, class Lock>
FoundOfServer explored_server(const Lock& lock, const WorldConfig& world) {
    ExploreOptions options;
    options.check = shown_by<ByRecord>();
    options.counting = Counting::kOff;
    options.states_max = 20'000;
    for (const char* const goal : {"acquired", "full", "released", "failed", "effect"}) {
        options.reach.push_back(find_goal(goal));
    }
    const ExploreResult result = explore_all(lock, world, options);
    FoundOfServer found;
    for (const Property* goal : result.reached) {
        found.reached.emplace(goal->name);
    }
    for (const auto& violation : result.violations) {
        found.violated.emplace(violation.property->name);
    }
    found.complete = result.complete;
    return found;
}

// "": whatever the system violates or reaches is so by record, too, and what is proved is not
// contradicted. `is_exact`: both violate the same.
template <class Lock, class ByRecord, class Scope>
std::string compare_server(const Scope& scope, std::size_t callers, bool is_exact,
                           LeaseTally& tally) {
    std::size_t least = 0;
    for (const auto& counts : counts_up_to(scope.world.callers.size(), callers)) {
        const Scope many = with_so_many(scope, counts);
        const FoundOfServer shipped = explored_server<ByRecord>(Lock(many.options), many.world);
        const WorldConfig kinds = with_kinds_in_operations(many.world);
        const FoundOfServer by_record =
            explored_server<ByRecord>(ByRecord(many.options, kinds), kinds);
        const std::size_t sum = counts[0] + (counts.size() > 1 ? counts[1] : 0);
        const bool is_among = std::includes(by_record.violated.begin(), by_record.violated.end(),
                                            shipped.violated.begin(), shipped.violated.end());
        const bool reaches = std::includes(by_record.reached.begin(), by_record.reached.end(),
                                           shipped.reached.begin(), shipped.reached.end());
        const bool is_alike = shipped.violated == by_record.violated;
        if (!shipped.complete || !by_record.complete) {
            ++tally.too_large;
        } else if (!reaches) {
            return std::to_string(sum) + " callers reach:" + names_of(shipped.reached) +
                   "; by record:" + names_of(by_record.reached);
        } else if (!is_among || (is_exact && !is_alike)) {
            return std::to_string(sum) + " callers:" + names_of(shipped.violated) +
                   "; by record:" + names_of(by_record.violated);
        } else {
            ++tally.compared;
            tally.as_shipped += is_alike ? 1 : 0;
        }
        least = least == 0 && !shipped.violated.empty() ? sum : least;
    }
    ++tally.least[least];
    const proofs::ReplicatedWorld apart = server_taken_apart<ByRecord>(scope);
    const proofs::ProofAttempt made = proofs::prove(
        apart, {.check = shown_by<ByRecord>(), .markings_max = 20'000, .seconds_max = 20});
    if (!made.certificate) {
        tally.undecided += least == 0 ? 1 : 0;
        return "";
    }
    ++tally.proved;
    if (const std::string why = proofs::why_refused(*made.certificate, apart); !why.empty()) {
        return "its certificate is refused: " + why;
    }
    return least == 0 ? "" : "proved, and violated by " + std::to_string(least);
}

// `draw(seed)`: a scope.
template <class Lock, class ByRecord, class Draw>
void compare_servers(Draw draw, std::uint32_t first, std::uint32_t count, std::size_t callers,
                     bool is_exact) {
    LeaseTally tally;
    for (std::uint32_t seed = first; seed < first + count; ++seed) {
        const std::string wrong =
            compare_server<Lock, ByRecord>(draw(seed), callers, is_exact, tally);
        ASSERT_EQ(wrong, "") << "seed " << seed;
    }
    std::cout << tally.proved << " proved, " << tally.undecided << " undecided; " << tally.compared
              << " explored, " << tally.as_shipped << " of them alike, " << tally.too_large
              << " too large; least:";
    for (const auto& [least, times] : tally.least) {
        std::cout << " " << least << ": " << times;
    }
    std::cout << "\n";
    EXPECT_GT(tally.proved, 0);
    EXPECT_GT(tally.compared, 0);
    // Slow builds draw few scopes, which may all be right.
    EXPECT_TRUE(testing_model::kIsSlowBuild || tally.least[1] + tally.least[2] > 0);
}

}  // namespace lockkeeper::testing_proofs
