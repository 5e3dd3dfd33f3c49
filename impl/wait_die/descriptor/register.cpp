// SPDX-License-Identifier: Apache-2.0
#include "impl/wait_die/planted_bugs.hpp"
#include "scenarios/registry/register_lock.hpp"
#include "scenarios/registry/repairs.hpp"

namespace lockkeeper {
namespace {

using namespace wait_die;

constexpr NamedRepair kRepairs[] = {{"effects_after_commit", 1}};

Vocabulary vocabulary() {
    return of_one_place({{},
                         {client_restarts()},
                         {},
                         {{"effect", 1, true, false, "does something outside of the database"}},
                         {},
                         false});
}

auto maker(void (*plant)(Options&) = [](Options&) {}) {
    return [plant](const Scenario& scenario) {
        Options options;
        options.keys = scenario.world.keys;
        options.effects_after_commit = repairs_of<std::uint8_t>(scenario, kRepairs) != 0;
        plant(options);
        return WaitDieLock(options);
    };
}

constexpr LockLimits kLimits{.buckets = 1, .max_per = 1, .locks = 6};

}  // namespace

void register_wait_die(Registry& registry) {
    const SystemDescription lock{
        "wait_die", "faithful",
        "deadlocks are prevented by age, as in mnesia: an acquire may restart its caller", "",
        vocabulary()};
    register_lock(registry, lock, maker(), kLimits);
    register_lock(registry, repaired(lock, kRepairs, "the same with effects done by the commit"),
                  maker(), kLimits);
    for (const auto& bug : wait_die_bugs()) {
        register_lock(registry, with_bug(lock, "wait_die_broken", bug), maker(bug.plant), kLimits);
    }
}

}  // namespace lockkeeper
