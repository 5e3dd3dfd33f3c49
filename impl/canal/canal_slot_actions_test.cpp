// SPDX-License-Identifier: Apache-2.0

// The canal lock says that what a caller can do depends on nothing of others but circumstances()
// (Hints::slot_actions). Random runs compare what is listed with what is kept.
#include <gtest/gtest.h>

#include "impl/canal/canal_lock.hpp"
#include "model/walk_test.hpp"
#include "scheduler/base/random.hpp"

namespace lockkeeper::testing_model {
namespace {

using Lock = canal::CanalLock<canal::SmallSize>;
using Canal = World<Lock>;
using Listed = std::vector<Action>;

Listed actions_of(const Canal& canal, const Canal::State& state, std::size_t slot) {
    ActionList list;
    canal.enabled_of(state, slot, list);
    return {list.begin(), list.end()};
}

Canal canal_of(std::uint8_t repairs, std::uint8_t crashes_max) {
    canal::CanalOptions options;
    options.max_decr_tries = 1;
    options.repairs = repairs;
    std::vector<std::vector<Operation>> scripts(5, {insist(1, 2), release(1, 2)});
    WorldConfig world = world_of(scripts);
    world.crashes_max = crashes_max;
    for (CallerConfig& caller : world.callers) {
        caller.repeats_forever = true;
    }
    return Canal(Lock(options), world);
}

TEST(CanalSlotActions, AStepChangesOnlyWhatItsOwnCallerCanDoWhileCircumstancesStay) {
    for (const std::uint8_t repairs : {canal::kNoRepair, canal::kAllRepairs}) {
        for (std::uint64_t seed = 0; seed < 20; ++seed) {
            const Canal canal = canal_of(repairs, static_cast<std::uint8_t>(seed % 4));
            ASSERT_TRUE(canal.has_slot_actions());
            Canal::State state = canal.initial();
            Random random(seed);
            ActionList possible;
            for (int step = 0; step < 500; ++step) {
                canal.enabled(state, possible);
                if (possible.empty()) {
                    break;
                }
                const Action action =
                    possible[random.below(static_cast<std::uint32_t>(possible.size()))];
                const Canal::State before = state;
                ActionList elsewhere;
                canal.enabled_elsewhere(before, elsewhere);
                const bool of_slot = !elsewhere.contains(action);
                canal.apply(state, action);
                std::size_t sum = 0;
                for (std::size_t slot = 0; slot < canal.slots_count(); ++slot) {
                    const Listed now = actions_of(canal, state, slot);
                    sum += now.size();
                    if (of_slot && slot != action.actor &&
                        canal.circumstances(before) == canal.circumstances(state)) {
                        ASSERT_EQ(actions_of(canal, before, slot), now) << step;
                    }
                }
                canal.enabled_elsewhere(state, elsewhere);
                canal.enabled(state, possible);
                ASSERT_EQ(sum + elsewhere.size(), possible.size());
            }
        }
    }
}

TEST(CanalSlotActions, AreNotToBeHadWhereSignalsDecide) {
    WorldConfig world = world_of({{acquire(1, 1), release(1, 1)}});
    world.signals = {"go"};
    const World<canal::CanalLock<canal::CrowdSize>> canal(
        canal::CanalLock<canal::CrowdSize>(canal::CanalOptions{}), world);
    EXPECT_FALSE(canal.has_slot_actions());
}

}  // namespace
}  // namespace lockkeeper::testing_model
