// The baselines of the transactional locks: a session-level lock through a pool, and try-and-retry.
#include "app/own_lock.hpp"
#include "app/systems/repairs.hpp"
#include "impl/transactional/pooled_lock.hpp"

namespace lockkeeper {
namespace {

using namespace transactional;

constexpr NamedRepair kPooledRepairs[] = {{"reset_on_return", kResetOnReturn}};

Vocabulary vocabulary(bool session_level, bool tries) {
    const auto word = [](PooledWord call) { return static_cast<std::uint8_t>(call); };
    return {{{"connections", 1, PooledLock::kConnectionsMax, PooledLock::kConnectionsMax,
              "in the pool"},
             {"tolerated", 0, 60, 0, "so often an acquire may be overtaken"}},
            {},
            {{"session_level", 0, 1, session_level ? 1 : 0, "its lock outlives the transaction"},
             {"tries", 0, 1, tries ? 1 : 0, "it does not wait in line"}},
            {{"drop", word(PooledWord::kDrop), true, true,
              "the block ends by an error: the connection goes back, nobody unlocks"},
             {"effect", word(PooledWord::kEffect), true, false,
              "does something outside of the database"}},
            {},
            false};
}

auto maker(std::uint8_t by_default, PooledBug bug = PooledBug::kNone) {
    return [by_default, bug](const Scenario& scenario) -> std::variant<PooledLock, InputError> {
        const auto repairs = repairs_of(scenario, kPooledRepairs, by_default);
        if (const auto* error = std::get_if<InputError>(&repairs)) {
            return *error;
        }
        PooledOptions options;
        options.keys = scenario.world.keys;
        for (const CallerConfig& caller : scenario.world.callers) {
            options.clients.push_back(
                {caller.settings.at("session_level") != 0, caller.settings.at("tries") != 0});
        }
        options.connections = static_cast<std::size_t>(scenario.parameters.own.at("connections"));
        options.tolerated = scenario.parameters.own.at("tolerated");
        options.repairs = std::get<std::uint8_t>(repairs);
        options.bug = bug;
        return PooledLock(options);
    };
}

constexpr LockLimits kLimits{.buckets = 1, .max_per = 1, .locks = 6};

}  // namespace

void add_pooled(Registry& registry) {
    register_lock(registry,
                  {"session_lock_pool", "faithful",
                   "session-level advisory locks through a pool that does not reset sessions", "",
                   vocabulary(true, false)},
                  maker(0), kLimits);
    register_lock(registry,
                  {"session_lock_pool", "repaired", "the same with a pool that resets sessions", "",
                   vocabulary(true, false)},
                  maker(kAllPooledRepairs), kLimits);
    register_lock(
        registry,
        {"try_retry", "faithful", "pg_try_advisory_xact_lock, again and again until it is granted",
         "", vocabulary(false, true)},
        maker(0), kLimits);
    register_lock(registry,
                  {"transactional_broken", "unlocks_by_key",
                   "unlock removes whatever lock of the key there is", "foreign-removal",
                   vocabulary(true, false)},
                  maker(0, PooledBug::kUnlocksByKey), kLimits);
}

}  // namespace lockkeeper
