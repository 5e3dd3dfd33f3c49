// The baselines of the transactional locks: a session-level lock through a pool, and try-and-retry.
#include <string>
#include <string_view>

#include "impl/transactional/pooled_lock.hpp"
#include "scenarios/registry/register_lock.hpp"
#include "scenarios/registry/repairs.hpp"

namespace lockkeeper {
namespace {

using namespace transactional;

constexpr NamedRepair kPooledRepairs[] = {{"reset_on_return", kResetOnReturn}};
static_assert(names_all(kPooledRepairs, kAllPooledRepairs));

Vocabulary vocabulary(bool session_level, bool tries) {
    const auto word = [](PooledWord call) { return static_cast<std::uint8_t>(call); };
    return of_one_place(
        {{{"connections", 1, PooledLock::kConnectionsMax, PooledLock::kConnectionsMax,
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
         false});
}

auto maker(PooledBug bug = PooledBug::kNone) {
    return [bug](const Scenario& scenario) {
        PooledOptions options;
        options.keys = scenario.world.keys;
        for (const CallerConfig& caller : scenario.world.callers) {
            options.clients.push_back(
                {caller.settings.at("session_level") != 0, caller.settings.at("tries") != 0});
        }
        options.connections = static_cast<std::size_t>(scenario.parameters.own.at("connections"));
        options.tolerated = scenario.parameters.own.at("tolerated");
        options.repairs = repairs_of<std::uint8_t>(scenario, kPooledRepairs);
        options.bug = bug;
        return PooledLock(options);
    };
}

struct Planted {
    std::string_view system;
    const char* variant;
    PooledBug bug;
    const char* must_fail;
    const char* about;
};
constexpr std::string_view kPool = "session_lock_pool_broken";
constexpr std::string_view kTries = "try_retry_broken";
constexpr Planted kBugs[] = {
    {"transactional_broken", "unlocks_by_key", PooledBug::kUnlocksByKey, "foreign-removal",
     "unlock removes whatever lock of the key there is"},
    {kPool, "loses_connections", PooledBug::kLosesConnections, "deadlock",
     "what is put back into the pool is not handed out again"},
    {kPool, "refuses_the_free", PooledBug::kRefusesTheFree, "livelock",
     "a try is refused although nobody has the lock"},
    {kPool, "shares_a_connection", PooledBug::kSharesConnections, "belief-overlap",
     "the pool hands out a connection that is in use"},
    {kPool, "grants_all_in_line", PooledBug::kGrantsAllInLine, "grant-overlap",
     "unlock grants to everybody who waits"},
    {kPool, "frees_at_effect", PooledBug::kFreesAtEffect, "unprotected-effect",
     "the lock ends with a statement of the block"},
    {kPool, "unlocks_at_once", PooledBug::kUnlocksAtOnce, "false-ok",
     "one unlock frees a lock that was taken twice"},
    {kPool, "keeps_locks_at_return", PooledBug::kKeepsLocksAtReturn, "phantom",
     "a session is not reset when it comes back"},
    {kPool, "serves_the_newest", PooledBug::kServesTheNewest, "token-order",
     "the last in line is served first"},
    {kTries, "loses_connections", PooledBug::kLosesConnections, "deadlock",
     "what is put back into the pool is not handed out again"},
    {kTries, "refuses_the_free", PooledBug::kRefusesTheFree, "livelock",
     "a try is refused although nobody has the lock"},
    {kTries, "shares_a_connection", PooledBug::kSharesConnections, "belief-overlap",
     "the pool hands out a connection that is in use"},
    {kTries, "grants_the_taken", PooledBug::kGrantsTheTaken, "grant-overlap",
     "a try is granted whoever has the lock"},
    {kTries, "frees_at_effect", PooledBug::kFreesAtEffect, "unprotected-effect",
     "the lock ends with a statement of the block"},
    {kTries, "unlocks_by_key", PooledBug::kUnlocksByKey, "foreign-removal",
     "the end removes whatever lock of the key there is"},
    {kTries, "keeps_locks_at_return", PooledBug::kKeepsLocksAtReturn, "phantom",
     "a transaction is not rolled back when its connection comes back"},
};

const RealServer kServer{"postgresql", RealServer::Clients::kPool};
constexpr LockLimits kLimits{.buckets = 1, .max_per = 1, .locks = 6};

}  // namespace

void add_pooled(Registry& registry) {
    register_lock(registry,
                  {"session_lock_pool", "faithful",
                   "session-level advisory locks through a pool that does not reset sessions", "",
                   vocabulary(true, false), kServer},
                  maker(), kLimits);
    register_lock(registry,
                  {"session_lock_pool", "repaired", "the same with a pool that resets sessions", "",
                   with_repairs(vocabulary(true, false), kPooledRepairs), kServer},
                  maker(), kLimits);
    register_lock(
        registry,
        {"try_retry", "faithful", "pg_try_advisory_xact_lock, again and again until it is granted",
         "", vocabulary(false, true), kServer},
        maker(), kLimits);
    for (const Planted& bug : kBugs) {
        const bool tries = bug.system == kTries;
        // The session-level pool is broken where it is repaired: the faithful one leaks.
        Vocabulary words = vocabulary(!tries, tries);
        words = bug.system == kPool ? with_repairs(words, kPooledRepairs) : words;
        register_lock(
            registry,
            {std::string(bug.system), bug.variant, bug.about, bug.must_fail, words, kServer},
            maker(bug.bug), kLimits);
    }
}

}  // namespace lockkeeper
