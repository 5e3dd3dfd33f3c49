// SPDX-License-Identifier: Apache-2.0

// The baselines of the transactional locks: a session-level lock through a pool, and try-and-retry.
#include "impl/descriptor/by_record.hpp"
#include "impl/transactional/planted_bugs.hpp"
#include "impl/transactional/pooled_by_record.hpp"
#include "scenarios/registry/repairs.hpp"

namespace lockkeeper {
namespace {

using namespace transactional;

constexpr NamedRepair kPooledRepairs[] = {{"reset_on_return", kResetOnReturn}};
static_assert(names_all(kPooledRepairs, kAllPooledRepairs));

Vocabulary vocabulary(bool session_level, bool tries) {
    const auto word = [](PooledWord call) { return static_cast<std::uint8_t>(call); };
    return of_one_place(
        {{{"connections", 1, PooledLock::kConnectionsMax, 4, "in the pool"},
          {"tolerated", 0, 60, 0, "so often an acquire may be overtaken"}},
         {},
         {{"session_level", 0, 1, session_level ? 1 : 0, "its lock outlives the transaction"},
          {"tries", 0, 1, tries ? 1 : 0, "it does not wait in line"}},
         {{"drop", word(PooledWord::kDrop), true, true,
           "the block ends by an error: the connection goes back, nobody unlocks"},
          {"effect", word(PooledWord::kEffect), true, false,
           "does something outside of the database"},
          {"other_connection", word(PooledWord::kOtherConnection), true, false,
           "takes another connection of the pool, too, for a statement, and puts it back"}},
         {},
         false});
}

using Plant = void (*)(PooledOptions&);
void nothing(PooledOptions&) {}

PooledOptions options_of(const Scenario& scenario, Plant plant) {
    PooledOptions options;
    options.keys = scenario.world.keys;
    for (const CallerConfig& caller : scenario.world.callers) {
        options.clients.push_back(
            {caller.settings.at("session_level") != 0, caller.settings.at("tries") != 0});
    }
    options.connections = static_cast<std::size_t>(scenario.parameters.own.at("connections"));
    options.tolerated = scenario.parameters.own.at("tolerated");
    options.repairs = repairs_of<std::uint8_t>(scenario, kPooledRepairs);
    plant(options);
    return options;
}

const RealServer kServer{"postgresql", RealServer::Clients::kPool};
constexpr LockLimits kPooledLimits{.buckets = 1, .max_per = 1, .locks = 6};

// `prove` takes it apart by record, and asks nothing of the order of grants.
void register_pool(Registry& registry, const SystemDescription& description,
                   Plant plant = nothing) {
    RegisteredSystem system = registered(
        description,
        [plant](const Scenario& scenario) { return PooledLock(options_of(scenario, plant)); },
        kPooledLimits);
    prove_by_record<PooledByRecord, PooledLock>(
        system, kPooledLimits, "pools",
        [plant](const Scenario& scenario) { return options_of(scenario, plant); });
    registry.add(std::move(system));
}

}  // namespace

void add_pooled(Registry& registry) {
    const SystemDescription pool{
        "session_lock_pool",
        "faithful",
        "session-level advisory locks through a pool that does not reset sessions",
        "",
        vocabulary(true, false),
        kServer};
    const SystemDescription fixed_pool =
        repaired(pool, kPooledRepairs, "the same with a pool that resets sessions");
    const SystemDescription tries{"try_retry",
                                  "faithful",
                                  "pg_try_advisory_xact_lock, again and again until it is granted",
                                  "",
                                  vocabulary(false, true),
                                  kServer};
    register_pool(registry, pool);
    register_pool(registry, fixed_pool);
    register_pool(registry, tries);
    const auto add = [&](const SystemDescription& sound, const char* system,
                         PlantedBugs<PooledOptions> bugs) {
        for (const auto& bug : bugs) {
            register_pool(registry, with_bug(sound, system, bug), bug.plant);
        }
    };
    add(pool, "transactional_broken", session_lock_bugs());
    add(fixed_pool, "session_lock_pool_broken", session_pool_bugs());
    add(tries, "try_retry_broken", try_retry_bugs());
}

}  // namespace lockkeeper
